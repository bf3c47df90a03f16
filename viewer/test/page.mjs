// Tests of the built page as a person uses it, in headless Chromium.
//
//     [LINCHPIN_PAGE=dist/index.html] [CHROMIUM=/usr/bin/chromium] [LINCHPIN=command]
//         node test/page.mjs [--pictures DIR] [--only made|linchpin]
//
// Tests made-up runs: an export from disk, a recording from a server, a live run. Then, if LINCHPIN or the argument
// names the linchpin command, runs of that command. Exit status 77: skipped, there is no browser.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { becomes, by, CHROMIUM, launch, openPage, probe, Tally } from './browser.mjs';
import { encodeRecording, everything, exportPage, heap } from './fixture.mjs';
import { testLinchpin } from './command_runs.mjs';
import { startServer } from './mock_server.mjs';
import {
  arrowsAppear, looks, moves, plotsDraw, plotSignal, pushes, quiet, seeks, selects, sendsNoRequests,
} from './user_actions.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { pictures: { type: 'string' }, only: { type: 'string' } },
});
const linchpin = positionals[0] ?? process.env.LINCHPIN;
if (!existsSync(CHROMIUM)) {
  console.log(`skipped: there is no ${CHROMIUM}`);
  process.exit(77);
}
const html = readFileSync(process.env.LINCHPIN_PAGE ?? join(here, '../dist/index.html'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'linchpin-page-'));
const tally = new Tally();
const browser = await launch();

async function picture(page, name) {
  if (!options.pictures) return;
  mkdirSync(options.pictures, { recursive: true });
  await page.screenshot({ path: join(options.pictures, `${name}.png`) });
}

function onDisk(name, content) {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return pathToFileURL(path).href;
}

async function exported() {
  const { scene, frames } = everything();
  const address = onDisk('everything.html', exportPage(html, encodeRecording(scene, frames)));
  const page = await openPage(browser, address, { colorScheme: 'light' });
  const name = 'export from disk';
  tally.check(`${name}: opens`, (await probe(page, 'error')) === null, await probe(page, 'error'));
  await moves(page, tally, 1, name);
  const { moved } = await seeks(page, tally, 1, name);
  tally.check(`${name}: bodies are elsewhere at another time`, moved > 0.3, `${moved}`);
  await plotsDraw(page, tally, name);
  await plotSignal(page, tally, name, 'box on world, normal', 'a contact force');
  await plotSignal(page, tally, name, 'hinge', 'a joint');
  await plotSignal(page, tally, name, 'close x', 'a reaction');
  await arrowsAppear(page, tally, name);
  await selects(page, tally, 4, name);
  for (const [key, expression, what] of [
    ['j', 'linchpin.marks.rings === 2', 'joint axes'],
    ['x', 'linchpin.marks.rods >= 3 * 11', 'frames'],
    ['m', 'linchpin.marks.balls === 9', 'centres of mass'],
  ]) {
    await page.keyboard.press(key);
    const holds = await becomes(page, expression, 10);
    tally.check(`${name}: ${what} on demand`, holds, JSON.stringify(await probe(page, 'marks')));
  }
  tally.check(`${name}: the loop is marked`, (await probe(page, 'marks')).knots >= 2);
  await picture(page, 'everything_marks');
  for (const key of ['j', 'x', 'm']) await page.keyboard.press(key);
  tally.check(`${name}: the certificate is shown`, (await page.textContent(by('certificate-badge'))) === 'passed');
  const figures = await page.textContent(by('certificate-figures'));
  tally.check(`${name}: with figures and units`, /penetration\s*3\.4e−7 m/.test(figures), figures);
  await looks(page, tally, name);
  await page.keyboard.press('End');
  tally.check(`${name}: End goes to the end`, await becomes(page, `linchpin.index === ${frames.length - 1}`, 10));
  await page.keyboard.press('Home');
  tally.check(`${name}: Home goes to the start`, await becomes(page, 'linchpin.index === 0', 10));
  await page.click(by('loop'));
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press(' ');
  const stopped = await becomes(page, `!linchpin.moving && linchpin.index === ${frames.length - 1}`, 30);
  tally.check(`${name}: without loop it stops at the end`, stopped);
  sendsNoRequests(page, tally, name);
  quiet(page, tally, name);
  await picture(page, 'everything_light');
  await page.keyboard.press('d');
  await picture(page, 'everything_dark');
  await page.context().close();
}

async function manyBodies() {
  const { scene, frames } = heap(200);
  const address = onDisk('heap.html', exportPage(html, encodeRecording(scene, frames)));
  const page = await openPage(browser, address, { colorScheme: 'dark' });
  const name = '200 bodies, 1000 contacts';
  await moves(page, tally, 1, name);
  tally.check(`${name}: all arrows`, await becomes(page, 'linchpin.contacts.arrows === 1000', 30));
  await page.waitForTimeout(4000);
  const rate = await page.evaluate(async () => {
    const begin = [performance.now(), window.linchpin.draws];
    await new Promise((resolve) => setTimeout(resolve, 3000));
    return (1000 * (window.linchpin.draws - begin[1])) / (performance.now() - begin[0]);
  });
  console.log(`       ${name}: ${rate.toFixed(1)} pictures a second, drawn by the processor`);
  await page.keyboard.press(' ');
  await page.waitForTimeout(1000);
  await picture(page, 'heap_dark');
  quiet(page, tally, name);
  await page.context().close();
}

async function recordingFromServer() {
  const { scene, frames } = everything();
  const server = await startServer(html, { session: { mode: 'recording' }, recording: encodeRecording(scene, frames) });
  const page = await openPage(browser, server.address);
  const name = 'recording from a server';
  const mode = await probe(page, 'mode');
  tally.check(`${name}: opens under its policy`, mode === 'recording', await probe(page, 'error'));
  await moves(page, tally, 1, name);
  quiet(page, tally, name);
  await page.context().close();
  server.stop();
}

async function live() {
  const server = await startServer(html);
  const page = await openPage(browser, `${server.address}?token=abc`);
  const name = 'live run';
  const sent = (type) => server.received.filter((message) => message.type === type);
  tally.check(`${name}: opens`, (await probe(page, 'mode')) === 'live', await probe(page, 'error'));
  await moves(page, tally, 1, name);
  tally.check(`${name}: the token is passed on`, page.requests.some((url) => url.endsWith('/session?token=abc')));
  const status = `document.querySelector('${by('status')}').textContent`;
  tally.check(`${name}: says that it runs`, await becomes(page, `/running/.test(${status})`, 10));
  await pushes(page, tally, 1, name);
  const push = sent('push')[0];
  const complete = push && push.body === 1 && push.at.length === 3 && push.to.length === 3;
  tally.check(`${name}: a push says where`, complete, JSON.stringify(push));
  tally.check(`${name}: one release`, sent('release').length === 1, `${sent('release').length}`);
  await becomes(page, 'linchpin.frames > 60', 60);
  await seeks(page, tally, 1, name);
  tally.check(`${name}: seeking back pauses the run`, sent('pause').length > 0 && !(await probe(page, 'attached')));
  await plotsDraw(page, tally, name);
  await page.click(by('live'));
  tally.check(`${name}: Live goes on at the end`, await becomes(page, 'linchpin.attached && linchpin.moving', 10));
  await arrowsAppear(page, tally, name);
  await page.selectOption(by('speed'), '2');
  for (let i = 0; i < 200 && sent('speed').length === 0; ++i) await page.waitForTimeout(50);
  tally.check(`${name}: speed is asked for`, sent('speed').at(-1)?.value === 2);
  await page.keyboard.press(' ');
  tally.check(`${name}: space pauses`, await becomes(page, '!linchpin.moving', 10));
  const time = await probe(page, 'time');
  await page.keyboard.press('.');
  const stepped = await becomes(page, `Math.abs(linchpin.time - ${time} - 0.01) < 1e-6`, 10);
  tally.check(`${name}: a step is one step`, stepped);
  await picture(page, 'live');
  await page.keyboard.press('Home');
  tally.check(`${name}: begins again`, await becomes(page, 'linchpin.frames <= 2 && linchpin.time < 0.05', 10));
  server.cut();
  const banner = await becomes(page, `!document.querySelector('${by('banner')}').hidden`, 10);
  tally.check(`${name}: says when the connection ends`, banner);
  quiet(page, tally, name);
  await page.context().close();
  server.stop();
}

// Data that cannot be read: the page shows the reason, without an exception.
async function malformed() {
  const { scene, frames } = everything();
  const whole = encodeRecording(scene, frames.slice(0, 3));
  const changed = (change) => {
    const blob = Buffer.from(whole);
    change(blob);
    return blob;
  };
  const first = 8 + whole.readUInt32LE(4);
  const cases = [
    ['cut short', whole.subarray(0, whole.length - 100), /cut short/],
    ['not a recording', Buffer.from('what is this, then?!'), /LPR1/],
    ['not a frame', changed((blob) => blob.writeUInt32LE(7, first)), /Frame 0 of 3 .*LPF1/],
    ['too many bodies', changed((blob) => blob.writeUInt32LE(99, first + 24)), /Frame 0 of 3/],
    ['another version', encodeRecording({ ...scene, version: 2 }, frames.slice(0, 1)), /version 2/],
    ['an unknown shape', encodeRecording({ ...scene, shapes: [{ ...scene.shapes[1], kind: 'teapot' }] }, []), /teapot/],
  ];
  const showsReason = async (name, page, message) => {
    const shown = await page.locator(by('error')).textContent();
    tally.check(`${name}: says so`, message.test(shown), shown);
    quiet(page, tally, name);
  };
  for (const [name, blob, message] of cases) {
    const page = await openPage(browser, onDisk('bad.html', exportPage(html, blob)));
    await showsReason(`malformed, ${name}`, page, message);
    if (name === 'cut short') await picture(page, 'malformed');
    await page.context().close();
  }
  const server = await startServer(html, { garbage: Buffer.from('0123456789') });
  const page = await openPage(browser, server.address);
  await showsReason('malformed, live frame', page, /cut short/);
  await page.context().close();
  server.stop();
  const empty = await openPage(browser, onDisk('empty.html', html));
  await showsReason('a page without a recording', empty, /no recording/);
  await empty.context().close();
}

try {
  if (options.only !== 'linchpin')
    for (const test of [exported, recordingFromServer, live, malformed, manyBodies]) await test();
  if (linchpin && options.only !== 'made') await testLinchpin(linchpin, { browser, tally, scratch, picture });
} catch (error) {
  tally.check('the test itself', false, error.stack);
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
tally.close();
