// What a person does with the page, and what must then be seen. Used on made-up runs and on linchpin's own.
import { becomes, coloursOf, near, probe } from './browser.mjs';

const STICKING = '#22b573';

const by = (id) => `[data-testid="${id}"]`;
const pause = async (page) => {
  if (await probe(page, 'moving')) await page.click(by('play'));
  return becomes(page, '!linchpin.moving');
};

// The moment shown, as numbers that change when anything moves.
const moment = async (page, body) => ({ time: await probe(page, 'time'), index: await probe(page, 'index'), pose: await probe(page, `pose(${body})`) });
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
  tally.check(`${name}: the time line seeks`, early.index < 0.15 * frames && late.index > 0.4 * frames && late.index < 0.8 * frames, `frames ${early.index} and ${late.index} of ${frames}`);
  const shown = await page.textContent(by('time'));
  tally.check(`${name}: the clock shows it`, (await becomes(page, `Math.abs(parseFloat(document.querySelector('${by('time')}').textContent) - linchpin.time) < 6e-4`, 10)), shown);
  await page.keyboard.press('ArrowRight');
  tally.check(`${name}: an arrow key steps on`, await becomes(page, `linchpin.index === ${late.index + 1}`, 10));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  tally.check(`${name}: and back`, await becomes(page, `linchpin.index === ${late.index - 1}`, 10));
  return { early, late, moved: apart(early, late) };
}

export async function plotsDraw(page, tally, name) {
  const count = await page.locator(by('plot-canvas')).count();
  tally.check(`${name}: there are plots`, count >= 1, `${count}`);
  const blue = near(await coloursOf(page, by('plot-canvas')), '#3b82f6', 60);
  tally.check(`${name}: the first curve is drawn`, blue > 40, `${blue} pixels of its colour`);
  const cursor = await probe(page, 'index');
  const area = await page.locator(by('plot-canvas')).first().boundingBox();
  await page.mouse.click(area.x + 0.85 * area.width, area.y + area.height / 2);
  tally.check(`${name}: a click on a plot goes to that time`, await becomes(page, `linchpin.index > ${cursor}`, 10));
  const value = await page.textContent(`${by('plot-legend')} b`);
  tally.check(`${name}: the legend has values`, /\d/.test(value), value);
}

// Chooses a signal in a new plot by its name.
export async function plotSignal(page, tally, name, text, label) {
  const before = await page.locator(by('plot')).count();
  await page.click(by('add-plot'));
  const plot = page.locator(by('plot')).nth(before);
  await plot.locator(by('plot-filter')).fill(text);
  await plot.locator('.choices input').first().check();
  tally.check(`${name}: ${label} can be plotted`, (await plot.locator(by('plot-legend')).textContent()).includes(text));
  await plot.locator(by('plot-choose')).click();
  await plot.locator('canvas').scrollIntoViewIfNeeded();
  const blue = near(await coloursOf(page, by('plot-canvas'), before), '#3b82f6');
  tally.check(`${name}: ${label} is drawn`, blue > 40, `${blue} pixels`);
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
  tally.check(`${name}: its facts are shown`, await becomes(page, `document.querySelector('.inspector').textContent.includes(${JSON.stringify(bodyName)}) && document.querySelector('.inspector').textContent.includes('kg')`, 10));
  await page.keyboard.press('Escape');
  tally.check(`${name}: Escape selects nothing`, await becomes(page, 'linchpin.selected === -1', 10));
  const { x, y } = await probe(page, `project(${body})`);
  await page.mouse.click(x, y);
  tally.check(`${name}: select by a click in the view`, await becomes(page, `linchpin.selected === ${body}`, 10), `selected ${await probe(page, 'selected')} at ${x}, ${y}`);
  await page.keyboard.press('f');
  tally.check(`${name}: follow`, await becomes(page, `linchpin.followed === ${body}`, 10));
  await page.keyboard.press('f');
  await page.keyboard.press('Escape');
}

// Takes hold of a body with Shift and draws it sideways; it must go there, and be let go after.
export async function pushes(page, tally, body, name) {
  const still = await moment(page, body);
  const { x, y } = await probe(page, `project(${body})`);
  await page.keyboard.down('Shift');
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 10; ++i) await page.mouse.move(x + 12 * i, y - 4 * i);
  tally.check(`${name}: a rubber band while pushing`, await becomes(page, 'linchpin.pushing', 10));
  const moved = await becomes(page, `Math.hypot(...linchpin.pose(${body}).slice(0, 3).map((p, i) => p - ${JSON.stringify(still.pose)}[i])) > 0.02`, 30);
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
  const { statSync } = await import('node:fs');
  tally.check(`${name}: screenshot`, statSync(file).size > 5000, `${statSync(file).size} bytes`);
}

export function quiet(page, tally, name) {
  tally.check(`${name}: no complaints in the console`, page.complaints.length === 0, page.complaints.slice(0, 3).join(' | '));
}
