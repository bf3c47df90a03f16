// Tests of the program's server in a browser: what the page may load, several viewers of one run, an export without a
// network, the token. page.mjs tests how the page is used.
//
//     LINCHPIN=build/release/apps/linchpin node test/served.mjs
//
// CHROMIUM names the browser. Exit status 77, with the reason, where the program, the browser or playwright is missing.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from './serve.mjs';

const skip = (reason) => {
  console.log(`skipped: ${reason}`);
  process.exit(77);
};
const program = process.env.LINCHPIN ?? skip('LINCHPIN does not name the program');
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browserPath = process.env.CHROMIUM || BROWSERS.find(existsSync);
if (!browserPath) skip('there is no chromium');
const { chromium } = await import('playwright-core').catch(() =>
  skip('playwright-core is not installed (npm install in viewer/)'));

const folder = mkdtempSync(join(tmpdir(), 'linchpin-served-'));
let failures = 0;
const expect = (is, what) => {
  if (!is) {
    console.log(`FAILED: ${what}`);
    failures += 1;
  }
};

const served = (...args) => serve(program, ...args);
const until = async (page, what, is, ...args) => {
  try {
    await page.waitForFunction(is, args, { timeout: 60000, polling: 50 });
  } catch {
    const state = await page.evaluate(() => (
      { error: window.linchpin?.error, mode: window.linchpin?.mode, time: window.linchpin?.time }));
    expect(false, `${what} (${JSON.stringify(state)})`);
  }
};

async function run(browser) {
  // Opens a page; its errors, refusals by the policy included, fail the test; its requests are recorded.
  const open = async (address, context = {}) => {
    const page = await (await browser.newContext({ viewport: { width: 900, height: 600 }, ...context })).newPage();
    page.asked = [];
    page.on('console', (message) => {
      if (message.type() === 'error') expect(false, `the page says: ${message.text()}`);
    });
    page.on('pageerror', (error) => expect(false, `the page throws: ${error}`));
    page.on('request', (request) => page.asked.push(request.url()));
    await page.goto(address);
    return page;
  };
  const ready = (page) =>
    until(page, 'the page shows frames', () => window.linchpin?.ready && window.linchpin.frames > 1);

  // ---- a live run
  const live = await served('@stack:boxes=3');
  const page = await open(live.address);
  await ready(page);
  expect((await page.evaluate(() => window.linchpin.mode)) === 'live', 'a live run is live');
  expect((await page.evaluate(() => window.linchpin.bodies().length)) === 4, 'three boxes and the world are there');
  await until(page, 'time goes on', () => window.linchpin.time > 0.2);
  expect((await page.evaluate(() => window.linchpin.contacts.points)) === 12, 'each box stands on four points');
  // a second viewer sees the same run, and the run goes on when it leaves
  const second = await open(live.address);
  await ready(second);
  await second.context().close();
  const later = await page.evaluate(() => window.linchpin.time);
  await until(page, 'the first goes on', ([time]) => window.linchpin.time > time + 0.1, later);
  await page.context().close();
  await live.stop('SIGTERM');

  // ---- an export: from disk, without a network
  const exported = join(folder, 'run.html');
  execFileSync(program, ['view', '@swing', '--time', '0.5', '--export', exported, '--quiet']);
  const file = await open(pathToFileURL(exported).href, { offline: true });
  await ready(file);
  expect((await file.evaluate(() => window.linchpin.frames)) === 31, 'every 17th of 500 steps, the first and the last');
  expect(file.asked.length === 1, `an exported page sends no requests, but: ${file.asked.slice(1)}`);
  await file.context().close();

  // ---- with a token
  const guarded = await served('@pendulum:links=2', '--host', '0.0.0.0');
  const here = guarded.address.replace(/\/\/[^:]*:/, '//127.0.0.1:');
  const allowed = await open(here);
  await ready(allowed);
  await allowed.context().close();
  expect((await fetch(here)).status === 200, 'with the token there is a page');
  expect((await fetch(here.replace(/.$/, (c) => (c === '0' ? '1' : '0')))).status === 403, 'a wrong token is refused');
  expect((await fetch(here.replace(/\?.*/, ''))).status === 403, 'no token is refused');
}

let browser = null;
try {
  const args = ['view', '@top', '--time', '0.01', '--export', join(folder, 'a.html'), '--quiet'];
  const without = spawnSync(program, args, { encoding: 'utf8' });
  if (without.stderr.includes('built without')) skip("the program was built without the viewer's page");
  browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
  await run(browser);
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures ? `${failures} failed` : 'all passed');
process.exit(failures ? 1 : 0);
