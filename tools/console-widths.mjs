import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.cjs';
import { makeConsoleExamples } from './lib/console-examples.mjs';
import { idsOf, pagesWith } from './lib/console-pages.mjs';
import { callerOf } from './lib/scenes.mjs';

/**
 * `node tools/console-widths.mjs [--only <word>] [--widths <list>] [--runs <count>] [--as-is]`: each page of the
 * console of a running `npm start` at 360, 768, 1440 and 1920 px, in light and dark: the largest contentful paint with
 * an empty cache (the median of the runs), violations of axe, and how much wider than its window it is. Exits with 1
 * if a page takes longer than a second or has a violation. `--as-is` leaves the stack with what it has.
 */
const root = resolve(import.meta.dirname ?? '.', '..');
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const only = option('--only');
const runs = Number(option('--runs') ?? 1);
const WIDTHS = (option('--widths') ?? '360,768,1440,1920').split(',').map(Number);
const SCHEMES = ['light', 'dark'];
const HEIGHT = 900;
const MOST_MS = 1_000;
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
const home = process.env.MARKET_HOME ?? join(root, '.market');
const runtime = JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8'));
const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WATCH = `globalThis.largest = 0; new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) globalThis.largest = startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true })`;

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });

async function contextOf(role) {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' });
  if (role) {
    const answer = await context.request.post(`${runtime.api_url}/v1/auth/login`, {
      data: runtime.accounts[role],
    });
    if (!answer.ok()) throw new Error(`${role} cannot log in: ${answer.status()}`);
  }
  await context.addInitScript(WATCH);
  return context;
}

async function load(tab, path) {
  await tab.goto(`${runtime.api_url}/console${path}`);
  await tab.waitForSelector('h1');
  await tab.waitForSelector('[aria-label=Loading]', { state: 'detached' });
  await tab.waitForTimeout(400);
  return tab.evaluate('globalThis.largest');
}

const violationsOf = (tab) =>
  tab.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes[0].target.join(' ')))`,
  );
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

if (!args.includes('--as-is')) await makeConsoleExamples({ root, runtime, contextOf });
const as = {};
for (const role of ['buyer', 'developer']) as[role] = callerOf(runtime, await contextOf(role));
const pages = pagesWith(await idsOf({ as, runtime }));
const all = [];
let problems = 0;

async function lookAt(tab, { path, colorScheme, width }) {
  await tab.emulateMedia({ colorScheme });
  await tab.setViewportSize({ width, height: HEIGHT });
  const paints = [];
  for (let run = 0; run < runs; run++) paints.push(await load(tab, path));
  const paint = Math.round(median(paints));
  all.push(paint);
  await tab.evaluate(AXE);
  const found = await violationsOf(tab);
  const excess = (await tab.evaluate('document.documentElement.scrollWidth')) - width;
  if (excess > 0) found.push(`${excess} px too wide`);
  if (paint > MOST_MS) found.push(`largest paint after ${paint} ms`);
  problems += found.length;
  return { paint, found };
}

for (const [role, pagesOfRole] of pages) {
  const context = await contextOf(role === 'visitor' ? undefined : role);
  const tab = await context.newPage();
  const session = await context.newCDPSession(tab);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  for (const [name, path] of pagesOfRole) {
    if (only && !new RegExp(`^(${only})$`).test(name)) continue;
    const paints = [];
    for (const colorScheme of SCHEMES)
      for (const width of WIDTHS) {
        const { paint, found } = await lookAt(tab, { path, colorScheme, width });
        paints.push(paint);
        for (const problem of found) console.log(`  ${name}, ${colorScheme}, ${width} px: ${problem}`);
      }
    console.log(name.padEnd(24), ...paints.map((paint) => String(paint).padStart(5)));
  }
  await context.close();
}
await browser.close();
console.log(
  `${all.length} views, median ${median(all)} ms, longest ${Math.max(...all)} ms, ${problems} problems`,
);
process.exitCode = problems > 0 ? 1 : 0;
