// Tests that need no browser: the reader of scenes, frames and recordings; history, player, series; number formats.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { encodeFrame, encodeRecording, everything } from './fixture.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'linchpin-unit-'));

async function load(file) {
  const outfile = join(scratch, `${file.replaceAll('/', '_')}.mjs`);
  await build({ entryPoints: [join(here, '../src', file)], bundle: true, format: 'esm', outfile, logLevel: 'error' });
  return import(pathToFileURL(outfile).href);
}

const { readScene, readFrame, readRecording, decodeBase64, DataError, toneOf, verdictOf } = await load('run/data.ts');
const { History } = await load('run/history.ts');
const { Player, nextSpeed } = await load('run/player.ts');
const { Sources, Series } = await load('run/series.ts');
const { ticks, short, rollPitchYaw } = await load('ui/format.ts');

const { scene, frames } = everything();
const buffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const recording = () => readRecording(buffer(encodeRecording(scene, frames)));
const refused = (value, message) => assert.throws(
  () => readScene({ ...scene, ...value }),
  (error) => error instanceof DataError && message.test(error.message),
  String(message));

const tests = {
  'faster and slower, from any speed'() {
    assert.equal(nextSpeed(1, 1), 2);
    assert.equal(nextSpeed(1, -1), 0.5);
    assert.equal(nextSpeed(3, 1), 4);
    assert.equal(nextSpeed(3, -1), 2);
    assert.equal(nextSpeed(10, 1), 10);
    assert.equal(nextSpeed(100, 1), 100); // never slower
    assert.equal(nextSpeed(100, -1), 10);
    assert.equal(nextSpeed(0.001, -1), 0.001);
    assert.equal(nextSpeed(0.001, 1), 0.05);
  },
  'only a certificate that passed says so'() {
    assert.equal(verdictOf({ passed: true, status: 'done' }), 'passed');
    assert.equal(verdictOf({ passed: false, status: 'done' }), 'failed');
    assert.equal(verdictOf({ passed: false, status: 'unfinished' }), 'unfinished');
    assert.equal(verdictOf({ passed: false, status: 'interrupted' }), 'interrupted');
    assert.equal(verdictOf({}), 'failed');
  },
  'a run that passes loosely says so, in a colour of its own'() {
    const loose = verdictOf({ passed: true, verdict: 'passed_loosely', status: 'done' });
    assert.equal(loose, 'passed loosely');
    assert.equal(verdictOf({ passed: true, verdict: 'passed', status: 'done' }), 'passed');
    assert.equal(verdictOf({ passed: false, verdict: 'failed', status: 'done' }), 'failed');
    assert.equal(verdictOf({ passed: false, verdict: 'interrupted', status: 'interrupted' }), 'interrupted');
    assert.equal(new Set(['passed', loose, 'failed'].map(toneOf)).size, 3);
  },
  'a recording is read as it was written'() {
    const read = recording();
    assert.equal(read.frames.length, frames.length);
    assert.deepEqual(read.scene.bodies, scene.bodies);
    assert.equal(read.scene.certificate.passed, true);
    frames.forEach((frame, k) => {
      const have = read.frames[k];
      assert.equal(have.time, frame.time);
      assert.equal(have.step, frame.step);
      assert.equal(have.failed, false);
      assert.deepEqual([...have.poses], frame.poses.flat().map(Math.fround));
      assert.deepEqual([...have.signals], frame.signals.map(Math.fround));
      assert.equal(have.contacts, frame.contacts.length);
      frame.contacts.forEach((c, i) => {
        assert.deepEqual([...have.words.subarray(14 * i, 14 * i + 3)], [c.a, c.b, c.state]);
        const floats = [c.mu, ...c.point, ...c.normal, ...c.force, c.gap].map(Math.fround);
        assert.deepEqual([...have.floats.subarray(14 * i + 3, 14 * i + 14)], floats);
      });
    });
  },
  'every byte that is missing is noticed'() {
    const whole = encodeRecording(scene, frames.slice(0, 2));
    for (let length = 0; length < whole.length; ++length)
      assert.throws(() => readRecording(buffer(whole.subarray(0, length))), DataError, `of ${length} bytes`);
    assert.throws(() => readRecording(buffer(Buffer.concat([whole, Buffer.alloc(8)]))), /8 bytes after its last frame/);
  },
  'inverted bytes are read, or refused with a DataError'() {
    const whole = encodeRecording(scene, frames.slice(0, 2));
    const begin = 8 + whole.readUInt32LE(4);
    let refusals = 0;
    for (let i = begin; i < whole.length; ++i) {
      const changed = Buffer.from(whole);
      changed[i] ^= 0xff;
      try {
        readRecording(buffer(changed));
      } catch (error) {
        assert.ok(error instanceof DataError, `byte ${i}: ${error.stack}`);
        ++refusals;
      }
    }
    // magic, size, bodies, signals, contacts: 20 bytes in each of the two headers
    assert.ok(refusals >= 2 * 20, `${refusals} of the headers' bytes`);
  },
  'invalid scenes are refused, and the message names the field'() {
    refused({ type: 'status' }, /type "status"/);
    refused({ version: 3 }, /version 3/);
    refused({ bodies: [] }, /no bodies/);
    refused({ bodies: [{ name: 'world', parent: 0, mass: 0, centre: [0, 0, 0] }] }, /bodies\[0\]\.parent is 0/);
    refused({ gravity: [0, 0] }, /gravity has 2 numbers where 3/);
    refused({ shapes: [{ ...scene.shapes[1], body: 99 }] }, /shapes\[0\]\.body is 99/);
    refused({ shapes: [{ ...scene.shapes[1], kind: 'teapot' }] }, /"teapot"/);
    refused({ shapes: [{ ...scene.shapes[2], radius: -1 }] }, /radius is -1/);
    refused({ shapes: [{ ...scene.shapes[1], place: [0, 0, 0, 0, 0, 0, 0] }] }, /quaternion of norm 0/);
    refused({ meshes: [{ vertices: [0, 0, 0], triangles: [0, 0, 1] }] }, /triangles\[2\] is 1/);
    refused({ loops: [{ ...scene.loops[0], at_a: null }] }, /at_a is not a list/);
  },
  'frames of another scene are refused'() {
    const read = readScene(scene);
    const bytes = (change) => buffer(encodeFrame({ ...frames[60], ...change }));
    assert.throws(() => readFrame(read, bytes({ poses: frames[0].poses.slice(1) })), /has 9 bodies, the scene 10/);
    assert.throws(() => readFrame(read, bytes({ signals: [1] })), /has 1 signals, the scene 9/);
    assert.throws(() => readFrame(read, bytes({ contacts: [{ ...frames[60].contacts[0], a: 77 }] })), /shape 77/);
    assert.throws(() => readFrame(read, bytes({ contacts: [{ ...frames[60].contacts[0], state: 3 }] })), /state 3/);
    assert.equal(readFrame(read, bytes({ failed: true })).frame.failed, true);
  },
  'base64, long and broken'() {
    const bytes = Buffer.alloc(3_000_001, 'linchpin');
    assert.deepEqual(Buffer.from(decodeBase64(`\n${bytes.toString('base64')}\n`)), bytes);
    assert.throws(() => decodeBase64('abc'), /cut short/);
    assert.throws(() => decodeBase64('ab!='), /not base64/);
  },
  'history finds moments, and forgets the oldest'() {
    const { scene: read, frames: list } = recording();
    const history = new History(read, list);
    assert.equal(history.at(-1), 0);
    assert.equal(history.at(list[7].time), 7);
    assert.equal(history.at(list[7].time + 0.02), 7);
    assert.equal(history.nearest(list[7].time + 0.02), 8);
    assert.equal(history.at(1e9), list.length - 1);
    const long = new History(read);
    let dropped = 0;
    long.dropped.on((count) => (dropped += count));
    for (let k = 0; k <= 40_000; ++k) long.append({ ...list[0], time: k, step: k });
    assert.ok(dropped > 0 && long.length + dropped === 40_001 && long.begin === dropped);
    long.append({ ...list[0], time: 0, step: 0 });
    assert.equal(long.length, 1, 'a reset run begins anew');
  },
  'a recording plays, loops and stops'() {
    const { scene: read, frames: list } = recording();
    const player = new Player(new History(read, list));
    player.play();
    player.advance(0.5);
    assert.equal(player.index, 15);
    player.setSpeed(2);
    player.advance(0.5);
    assert.ok(Math.abs(player.time - 1.5) < 1e-9);
    player.advance(10);
    assert.equal(player.index, 0, 'it begins again');
    player.loop = false;
    player.advance(10);
    assert.ok(!player.moving && player.index === list.length - 1);
    player.play();
    assert.equal(player.index, 0, 'play at the end begins at the start');
  },
  'a live run is one time line'() {
    const { scene: read, frames: list } = recording();
    const said = [];
    const say = (what) => () => said.push(what);
    const history = new History(read);
    const player = new Player(history, {
      play: say('play'), pause: say('pause'), step: say('step'), reset: say('reset'), speed: say('speed'),
    });
    player.running = true;
    for (const frame of list.slice(0, 50)) {
      history.append(frame);
      player.frameArrived();
    }
    assert.equal(player.index, 49);
    player.seekIndex(10);
    assert.deepEqual(said, ['pause']);
    history.append(list[50]);
    player.frameArrived();
    assert.equal(player.index, 10, 'it stays where it was put');
    player.running = false;
    player.play();
    assert.deepEqual(said, ['pause'], 'received frames are played without the server');
    player.advance(100);
    assert.ok(player.attached && said.at(-1) === 'play', 'and goes on live at the end');
  },
  'forces between bodies are sums over contacts'() {
    const { scene: read, frames: list } = recording();
    const sources = new Sources(new History(read, list));
    const find = (name) => sources.group('contact force').find((source) => source.name === name);
    const last = list.at(-1);
    assert.ok(Math.abs(find('box on world, normal').value(last) - 9.81) < 1e-5);
    assert.equal(find('box on world, friction').value(last), 0);
    const sliding = list.find((_, k) => frames[k].contacts.some((c) => c.a === 2 && c.state === 2));
    assert.ok(Math.abs(find('sphere on world, friction').value(sliding) - 4.9) < 1e-5);
    const series = new Series(new History(read, list), find('box on world, normal'));
    assert.equal(series.all.length, list.length);
    assert.equal(series.all[0], 0);
  },
  'numbers as people read them'() {
    assert.equal(short(0), '0');
    assert.equal(short(-1234.5678), '−1235');
    assert.equal(short(1.23456e-7), '1.23e−7');
    assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
    assert.ok(ticks(3, 3, 5).length === 1);
    const half = Math.SQRT1_2;
    assert.deepEqual(rollPitchYaw(half, 0, 0, half).map((x) => Math.round(x)), [0, 0, 90]);
    assert.deepEqual(rollPitchYaw(half, half, 0, 0).map((x) => Math.round(x)), [90, 0, 0]);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
    console.log(`ok     ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}
rmSync(scratch, { recursive: true, force: true });
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
