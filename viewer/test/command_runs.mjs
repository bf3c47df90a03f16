// Tests of the page as the linchpin command serves and exports it: live runs, an exported file, a recording.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { becomes, by, openPage, probe } from './browser.mjs';
import { serve } from './serve.mjs';
import {
  arrowsAppear, looks, moves, plotsDraw, pushes, quiet, seeks, selects, sendsNoRequests,
} from './user_actions.mjs';
export async function testLinchpin(linchpin, { browser, tally, scratch, picture }) {
  await liveStack(linchpin, browser, tally, picture);
  await liveLoop(linchpin, browser, tally, picture);
  await exported(linchpin, browser, tally, scratch, picture);
  await recorded(linchpin, browser, tally, scratch, picture);
}

async function liveStack(linchpin, browser, tally, picture) {
  const name = 'linchpin view @stack';
  const { address, stop } = await serve(linchpin, '@stack');
  const page = await openPage(browser, address, { colorScheme: 'light' });
  tally.check(`${name}: opens`, (await probe(page, 'mode')) === 'live', await probe(page, 'error'));
  const top = (await probe(page, 'bodies()')).length - 1;
  await moves(page, tally, top, name);
  tally.check(`${name}: contacts are found`, await becomes(page, 'linchpin.contacts.arrows > 0', 30));
  await becomes(page, 'linchpin.frames > 20', 60);
  await arrowsAppear(page, tally, name);
  await picture(page, 'linchpin_stack');
  await pushes(page, tally, top, name);
  await picture(page, 'linchpin_stack_pushed');
  await becomes(page, 'linchpin.frames > 60', 90);
  await seeks(page, tally, top, name);
  await plotsDraw(page, tally, name);
  await page.click(by('live'));
  tally.check(`${name}: Live goes on at the end`, await becomes(page, 'linchpin.attached && linchpin.moving', 20));
  await page.keyboard.press(' ');
  tally.check(`${name}: space pauses`, await becomes(page, '!linchpin.moving', 20));
  const time = await probe(page, 'time');
  await page.keyboard.press('.');
  tally.check(`${name}: a single step`, await becomes(page, `linchpin.time > ${time}`, 20));
  await page.keyboard.press('Home');
  tally.check(`${name}: begins again`, await becomes(page, `linchpin.time < ${time}`, 20));
  const verdict = `/passed|failed/.test(document.querySelector('${by('verdict')}').textContent)`;
  tally.check(`${name}: a certificate`, await becomes(page, verdict, 20));
  quiet(page, tally, name);
  await page.context().close();
  const end = await stop();
  tally.check(`${name}: Ctrl-C ends it`, end === 0 || end === 'SIGINT', `${end}`);
}

// A mechanism with a loop: marks of the loop and of the joints.
async function liveLoop(linchpin, browser, tally, picture) {
  const name = 'linchpin view @four_bar';
  const { address, stop } = await serve(linchpin, '@four_bar');
  const page = await openPage(browser, address, { colorScheme: 'dark' });
  tally.check(`${name}: opens`, (await probe(page, 'mode')) === 'live', await probe(page, 'error'));
  await moves(page, tally, 1, name);
  tally.check(`${name}: its loop is marked`, await becomes(page, 'linchpin.marks.knots >= 2', 10));
  await page.keyboard.press('j');
  tally.check(`${name}: joint axes`, await becomes(page, 'linchpin.marks.rings > 0', 10));
  await becomes(page, 'linchpin.frames > 20', 60);
  await page.keyboard.press(' ');
  await becomes(page, '!linchpin.moving', 20);
  await picture(page, 'linchpin_four_bar');
  quiet(page, tally, name);
  await page.context().close();
  await stop();
}

async function exported(linchpin, browser, tally, scratch, picture) {
  const name = 'linchpin view @dominoes --export';
  const file = join(scratch, 'dominoes.html');
  const args = ['view', '@dominoes', '--export', file, '--time', '2', '--quiet'];
  const { status, stderr } = spawnSync(linchpin, args, { encoding: 'utf8' });
  tally.check(`${name}: writes a page`, existsSync(file), `status ${status}: ${stderr}`);
  if (!existsSync(file)) return;
  const page = await openPage(browser, pathToFileURL(file).href, { colorScheme: 'light' });
  tally.check(`${name}: opens from disk`, (await probe(page, 'mode')) === 'recording', await probe(page, 'error'));
  await moves(page, tally, 1, name);
  await seeks(page, tally, 1, name);
  await plotsDraw(page, tally, name);
  await selects(page, tally, (await probe(page, 'bodies()')).length - 1, name);
  await looks(page, tally, name);
  sendsNoRequests(page, tally, name);
  await picture(page, 'linchpin_dominoes');
  quiet(page, tally, name);
  await page.context().close();
}

async function recorded(linchpin, browser, tally, scratch, picture) {
  const name = 'linchpin view RECORDING';
  const file = join(scratch, 'run.h5');
  const args = ['simulate', '@stack', '--time', '1', '--record', file, '--quiet'];
  const { status, stderr } = spawnSync(linchpin, args, { encoding: 'utf8' });
  tally.check(`${name}: there is one`, existsSync(file), `status ${status}: ${stderr}`);
  if (!existsSync(file)) return;
  const { address, stop } = await serve(linchpin, file);
  const page = await openPage(browser, address, { colorScheme: 'dark' });
  tally.check(`${name}: opens`, (await probe(page, 'mode')) === 'recording', await probe(page, 'error'));
  await moves(page, tally, 1, name);
  await seeks(page, tally, 1, name);
  await plotsDraw(page, tally, name);
  await picture(page, 'linchpin_recording');
  quiet(page, tally, name);
  await page.context().close();
  await stop();
}
