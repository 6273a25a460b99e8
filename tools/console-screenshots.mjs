import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.cjs';
import { makeConsoleExamples } from './lib/console-examples.mjs';
import { idsOf, pagesWith } from './lib/console-pages.mjs';
import { callerOf } from './lib/scenes.mjs';

/**
 * `node tools/console-screenshots.mjs [--dark] [--out <folder>] [--only <word>] [--widths <list>]`: pictures of each
 * page of the console at 360 and 1440 px, from a running `npm start`, into docs/console as WebP.
 */
const root = resolve(import.meta.dirname ?? '.', '..');
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const out = resolve(option('--out') ?? join(root, 'docs/console'));
const only = option('--only');
const dark = args.includes('--dark');
const home = process.env.MARKET_HOME ?? join(root, '.market');
const runtime = JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8'));
const base = `${runtime.api_url}/console`;
const WIDTHS = (option('--widths') ?? '360,1440').split(',').map(Number);

const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ['--no-sandbox'],
});
mkdirSync(out, { recursive: true });

/** A browser in which an account has logged in; undefined for a visitor. */
async function contextOf(role) {
  const context = await browser.newContext({
    colorScheme: dark ? 'dark' : 'light',
    deviceScaleFactor: 1,
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  if (role) {
    const answer = await context.request.post(`${runtime.api_url}/v1/auth/login`, {
      data: runtime.accounts[role],
    });
    if (!answer.ok()) throw new Error(`${role} cannot log in: ${answer.status()}`);
  }
  return context;
}

const encoder = await (await browser.newContext()).newPage();
/** The browser's own encoder: PNGs of these pages would be five times as large. */
async function webpOf(png) {
  const url = await encoder.evaluate(
    async (source) => {
      const image = new globalThis.Image();
      image.src = source;
      await image.decode();
      const canvas = globalThis.document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.75);
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

await makeConsoleExamples({ root, runtime, contextOf });
const as = {};
for (const role of ['buyer', 'developer']) as[role] = callerOf(runtime, await contextOf(role));
const pages = pagesWith(await idsOf({ as, runtime }));

for (const [role, pagesOfRole] of pages) {
  const context = await contextOf(role === 'visitor' ? undefined : role);
  const tab = await context.newPage();
  tab.on('console', (message) => {
    // A visitor has no session, and a new developer no payout method.
    const isExpected = / 40[14] /.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isExpected)
      console.log(`  ${tab.url()}: ${message.text()}`);
  });
  for (const [name, path] of pagesOfRole) {
    if (only && !new RegExp(`^(${only})$`).test(name)) continue;
    for (const width of WIDTHS) await takePicture(tab, name, path, width);
  }
  await context.close();
}
await browser.close();

async function takePicture(tab, name, path, width) {
  await tab.setViewportSize({ width, height: 900 });
  await tab.goto(`${base}${path}`);
  await tab.waitForSelector('h1');
  await tab.waitForSelector('[aria-label=Loading]', { state: 'detached' });
  // Charts and editors are loaded when they are shown.
  await tab.waitForTimeout(600);
  await tab.waitForSelector('[aria-label=Loading]', { state: 'detached' });
  const wide = await tab.evaluate('document.documentElement.scrollWidth');
  if (wide > width) console.log(`  ${name} at ${width} px is ${wide} px wide`);
  // As high as the page, so that the navigation reaches its end.
  const height = Math.min(await tab.evaluate('document.documentElement.scrollHeight'), 1600);
  await tab.setViewportSize({ width, height });
  await tab.waitForTimeout(250);
  writeFileSync(join(out, `${name}-${width}.webp`), await webpOf(await tab.screenshot()));
}
