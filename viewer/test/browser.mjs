// Chromium as the tests use it, a tally of checks, and pages that record their console messages and requests.
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

export const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

export class Tally {
  passed = 0;
  failed = 0;

  check(what, holds, detail = '') {
    if (holds) ++this.passed;
    else ++this.failed;
    console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds || detail === '' ? '' : `: ${detail}`}`);
  }

  close() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed > 0 ? 1 : 0;
  }
}

// A page that records its errors and warnings. Messages of the GL driver about reading back pixels are not counted.
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || message.text().includes('GL Driver Message')) return;
    page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.stack ?? String(error)));
  page.requests = [];
  page.on('request', (request) => page.requests.push(request.url()));
  page.setDefaultTimeout(60_000); // software drawing on a busy machine
  await page.goto(address);
  if (!(await becomes(page, 'linchpin && (linchpin.ready || linchpin.error !== null)', 60)))
    throw new Error(`${address} shows nothing`);
  return page;
}

// The selector of the element with this data-testid.
export const by = (id) => `[data-testid="${id}"]`;

export const probe = (page, expression) => page.evaluate(`window.linchpin.${expression}`);

// Waits until an expression in `linchpin` (window.linchpin of the page) is true; returns false after `seconds`. Not
// playwright's waitForFunction: that evaluates text inside the page, which the page's policy forbids.
export async function becomes(page, expression, seconds = 30) {
  const end = Date.now() + 1000 * seconds;
  do {
    if (await page.evaluate(`(({ linchpin }) => Boolean(${expression}))(window)`)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (Date.now() < end);
  return false;
}

// The number of pixels of each colour in a canvas of the page, from a screenshot.
export async function coloursOf(page, selector, nth = 0) {
  const picture = await page.locator(selector).nth(nth).screenshot();
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data: bytes } = pen.getImageData(0, 0, image.width, image.height);
    const counts = {};
    for (let i = 0; i < bytes.length; i += 4) {
      const key = `${bytes[i]},${bytes[i + 1]},${bytes[i + 2]}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }, picture.toString('base64'));
}

// The number of pixels whose colour is within a distance of the given one (#rrggbb).
export function near(counts, colour, distance = 40) {
  const want = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  let sum = 0;
  for (const [key, count] of Object.entries(counts)) {
    const have = key.split(',').map(Number);
    if (Math.hypot(...have.map((x, i) => x - want[i])) <= distance) sum += count;
  }
  return sum;
}
