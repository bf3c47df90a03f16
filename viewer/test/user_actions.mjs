// Actions of a person on the page, with checks of what it then shows. Used on made-up runs and on linchpin's own.
import { statSync } from 'node:fs';
import { becomes, by, coloursOf, near, probe } from './browser.mjs';

const STICKING = '#22b573';

const pause = async (page) => {
  if (await probe(page, 'moving')) await page.click(by('play'));
  return becomes(page, '!linchpin.moving');
};

// The time shown and the pose of a body: different after any motion.
const moment = async (page, body) => ({
  time: await probe(page, 'time'),
  index: await probe(page, 'index'),
  pose: await probe(page, `pose(${body})`),
});
const apart = (a, b) => Math.hypot(...a.pose.map((x, i) => x - b.pose[i]));

export async function moves(page, tally, body, name) {
  const before = await moment(page, body);
  tally.check(`${name}: time goes on`, await becomes(page, `linchpin.time !== ${before.time}`));
  tally.check(`${name}: frames change`, await becomes(page, `linchpin.index !== ${before.index}`));
}

export async function seeks(page, tally, body, name) {
  await pause(page);
  const slider = await page.locator(by('timeline')).boundingBox();
  const at = async (share) => {
    await page.mouse.click(slider.x + 8 + share * (slider.width - 16), slider.y + slider.height / 2);
    return moment(page, body);
  };
  const early = await at(0.05);
  const late = await at(0.6);
  const frames = await probe(page, 'frames');
  const found = early.index < 0.15 * frames && late.index > 0.4 * frames && late.index < 0.8 * frames;
  tally.check(`${name}: the time line seeks`, found, `frames ${early.index} and ${late.index} of ${frames}`);
  const shown = await page.textContent(by('time'));
  const clock = `parseFloat(document.querySelector('${by('time')}').textContent)`;
  const agrees = await becomes(page, `Math.abs(${clock} - linchpin.time) < 6e-4`, 10);
  tally.check(`${name}: the clock shows it`, agrees, shown);
  await page.keyboard.press('ArrowRight');
  tally.check(`${name}: an arrow key steps on`, await becomes(page, `linchpin.index === ${late.index + 1}`, 10));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  tally.check(`${name}: and back`, await becomes(page, `linchpin.index === ${late.index - 1}`, 10));
  return { early, late, moved: apart(early, late) };
}

// Waits for the first curve of a plot: a plot is drawn some time after what it shows has changed.
async function curveAppears(page, tally, plot, distance, name) {
  const end = Date.now() + 10_000;
  let pixels = 0;
  do pixels = near(await coloursOf(page, by('plot-canvas'), plot), '#3b82f6', distance);
  while (pixels <= 40 && Date.now() < end);
  tally.check(name, pixels > 40, `${pixels} pixels of its colour`);
}

export async function plotsDraw(page, tally, name) {
  const count = await page.locator(by('plot-canvas')).count();
  tally.check(`${name}: there are plots`, count >= 1, `${count}`);
  await curveAppears(page, tally, 0, 60, `${name}: the first curve is drawn`);
  const cursor = await probe(page, 'index');
  const area = await page.locator(by('plot-canvas')).first().boundingBox();
  await page.mouse.click(area.x + 0.85 * area.width, area.y + area.height / 2);
  tally.check(`${name}: a click on a plot goes to that time`, await becomes(page, `linchpin.index > ${cursor}`, 10));
  const value = await page.textContent(`${by('plot-legend')} b`);
  tally.check(`${name}: the legend has values`, /\d/.test(value), value);
}

// Adds a plot and chooses a signal in it by its name.
export async function plotSignal(page, tally, name, text, label) {
  const before = await page.locator(by('plot')).count();
  await page.click(by('add-plot'));
  const plot = page.locator(by('plot')).nth(before);
  await plot.locator(by('plot-filter')).fill(text);
  await plot.locator('.choices input').first().check();
  tally.check(`${name}: ${label} can be plotted`, (await plot.locator(by('plot-legend')).textContent()).includes(text));
  await plot.locator(by('plot-choose')).click();
  await plot.locator('canvas').scrollIntoViewIfNeeded();
  await curveAppears(page, tally, before, 40, `${name}: ${label} is drawn`);
  await plot.locator('button[title="Remove this plot"]').click();
}

export async function arrowsAppear(page, tally, name) {
  const { arrows } = await probe(page, 'contacts');
  tally.check(`${name}: force arrows at contacts`, arrows > 0, `${arrows}`);
  const green = near(await coloursOf(page, by('stage')), STICKING, 45);
  tally.check(`${name}: seen in the colour of sticking`, green > 5, `${green} pixels`);
  await page.keyboard.press('k');
  tally.check(`${name}: friction cones on demand`, await becomes(page, 'linchpin.contacts.cones > 0', 10));
  await page.keyboard.press('k');
  await page.keyboard.press('c');
  tally.check(`${name}: arrows can be hidden`, await becomes(page, 'linchpin.contacts.arrows === 0', 10));
  await page.keyboard.press('c');
}

export async function selects(page, tally, body, name) {
  const bodyName = (await probe(page, 'bodies()'))[body];
  await page.hover(by(`body-${body}`));
  tally.check(`${name}: hover in the tree`, await becomes(page, `linchpin.hovered === ${body}`, 10));
  await page.click(by(`body-${body}`));
  tally.check(`${name}: select in the tree`, await becomes(page, `linchpin.selected === ${body}`, 10));
  const facts = `document.querySelector('.inspector').textContent`;
  const includes = `${facts}.includes(${JSON.stringify(bodyName)}) && ${facts}.includes('kg')`;
  tally.check(`${name}: its facts are shown`, await becomes(page, includes, 10));
  await page.keyboard.press('Escape');
  tally.check(`${name}: Escape selects nothing`, await becomes(page, 'linchpin.selected === -1', 10));
  const { x, y } = await probe(page, `project(${body})`);
  await page.mouse.click(x, y);
  const chosen = await becomes(page, `linchpin.selected === ${body}`, 10);
  const detail = `selected ${await probe(page, 'selected')} at ${x}, ${y}`;
  tally.check(`${name}: select by a click in the view`, chosen, detail);
  await page.keyboard.press('f');
  tally.check(`${name}: follow`, await becomes(page, `linchpin.followed === ${body}`, 10));
  await page.keyboard.press('f');
  await page.keyboard.press('Escape');
}

// Pulls a body sideways with Shift and the mouse: it must follow, and be released with the mouse button.
export async function pushes(page, tally, body, name) {
  const still = await moment(page, body);
  const { x, y } = await probe(page, `project(${body})`);
  await page.keyboard.down('Shift');
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 10; ++i) await page.mouse.move(x + 12 * i, y - 4 * i);
  tally.check(`${name}: a rubber band while pushing`, await becomes(page, 'linchpin.pushing', 10));
  const distance = `Math.hypot(...linchpin.pose(${body}).slice(0, 3)` +
    `.map((p, i) => p - ${JSON.stringify(still.pose)}[i]))`;
  const moved = await becomes(page, `${distance} > 0.02`, 30);
  tally.check(`${name}: a push moves the body`, moved);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  tally.check(`${name}: and lets go`, await becomes(page, '!linchpin.pushing', 10));
}

export async function looks(page, tally, name) {
  const home = await probe(page, 'camera()');
  await page.keyboard.press('6');
  const top = await probe(page, 'camera()');
  tally.check(`${name}: view from the top`, top[2] > home[2] && Math.hypot(...top.map((t, i) => t - home[i])) > 0);
  await page.keyboard.press('1');
  const theme = () => page.evaluate('document.documentElement.dataset.theme');
  const before = await theme();
  await page.click(by('theme'));
  tally.check(`${name}: dark and light`, before !== (await theme()));
  await page.click(by('theme'));
  await page.keyboard.press('?');
  tally.check(`${name}: help`, await page.locator(by('help-dialog')).isVisible());
  await page.keyboard.press('Escape');
  tally.check(`${name}: help closes`, !(await page.locator(by('help-dialog')).isVisible()));
  const download = page.waitForEvent('download');
  await page.click(by('screenshot'));
  const file = await (await download).path();
  tally.check(`${name}: screenshot`, statSync(file).size > 5000, `${statSync(file).size} bytes`);
}

// The page has written no error and no warning to the console.
export function quiet(page, tally, name) {
  const { complaints } = page;
  tally.check(`${name}: no complaints in the console`, complaints.length === 0, complaints.slice(0, 3).join(' | '));
}

export function sendsNoRequests(page, tally, name) {
  const local = page.requests.every((url) => /^(file|data|blob):/.test(url));
  tally.check(`${name}: sends no requests`, local, page.requests.join(' '));
}
