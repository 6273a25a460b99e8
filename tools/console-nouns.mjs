import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.cjs';
import { makeConsoleExamples } from './lib/console-examples.mjs';
import { idsOf } from './lib/console-pages.mjs';
import { nounsWith } from './lib/console-nouns.mjs';
import { callerOf } from './lib/scenes.mjs';

/**
 * `node tools/console-nouns.mjs [--links <file>] [--dark]`: looks for what people of each role look for in the console
 * of a running `npm start`, word by word, and at each page with axe and at 360 and 1,920 px. `--links` names a file
 * with what `npm start` printed: its one-time links are used to log in. Exits with 1 if something is missing.
 */
const root = resolve(import.meta.dirname ?? '.', '..');
const args = process.argv.slice(2);
const linksFile = args.includes('--links') ? args[args.indexOf('--links') + 1] : undefined;
const links = linksFile ? readFileSync(linksFile, 'utf8') : '';
const home = process.env.MARKET_HOME ?? join(root, '.market');
const runtime = JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8'));
const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
const LOOK_MS = 8_000;
const HEIGHT = 900;
const NARROW = 360;
const WIDE = 1_920;

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
const newContext = () =>
  browser.newContext({
    viewport: { width: WIDE, height: HEIGHT },
    colorScheme: args.includes('--dark') ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });

/** A browser in which an account has logged in by its password. */
async function contextOf(role) {
  const context = await newContext();
  const answer = await context.request.post(`${runtime.api_url}/v1/auth/login`, {
    data: runtime.accounts[role],
  });
  if (!answer.ok()) throw new Error(`${role} cannot log in: ${answer.status()}`);
  return context;
}

/** A page of the console for a role, by its one-time link if there is one. */
async function enter(role) {
  const [, link] = new RegExp(`^ +${role} +(http\\S+/enter\\S*#\\S+)`, 'm').exec(links) ?? [];
  const context = role === 'visitor' || link ? await newContext() : await contextOf(role);
  await context.addInitScript(AXE);
  const page = await context.newPage();
  page.setDefaultTimeout(LOOK_MS);
  if (link) {
    await page.goto(link);
    await page.waitForURL((url) => !url.pathname.endsWith('/enter'));
    console.log(`${role} · one-time link · ${new URL(page.url()).pathname}`);
  }
  return page;
}

async function wait(page) {
  await page.waitForSelector('h1');
  await page.waitForSelector('[aria-label=Loading]', { state: 'detached' });
}

/** Serious and critical violations of the page, and how much wider than its window it is. */
async function problemsOf(page) {
  const found = await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes[0].target.join(' ')))`,
  );
  for (const width of [NARROW, WIDE]) {
    await page.setViewportSize({ width, height: HEIGHT });
    const excess = (await page.evaluate('document.documentElement.scrollWidth')) - width;
    if (excess > 0) found.push(`${excess} px too wide at ${width} px`);
  }
  return found;
}

await makeConsoleExamples({ root, runtime, contextOf });
const as = {};
for (const role of ['buyer', 'developer', 'operator']) as[role] = callerOf(runtime, await contextOf(role));
const ids = await idsOf({ as, runtime });
let [seen, missing] = [0, 0];

async function walk(role, page, { path, nouns }) {
  await page.goto(`${runtime.api_url}/console${path}`);
  await wait(page);
  for (const [noun, look] of nouns) {
    try {
      const place = await look(page);
      await place.waitFor();
      seen++;
      console.log(`${role} · ${noun} · ${path}`);
    } catch (error) {
      missing++;
      console.log(`${role} · ${noun} · ${path} · MISSING: ${error.message.split('\n', 1)[0]}`);
    }
  }
  for (const problem of await problemsOf(page)) {
    missing++;
    console.log(`${role} · ${path} · PROBLEM: ${problem}`);
  }
}

for (const [role, pages] of nounsWith(ids)) {
  const page = await enter(role);
  for (const each of pages) await walk(role, page, each);
  await page.context().close();
}
await browser.close();
console.log(`${seen} seen, ${missing} missing or wrong`);
process.exitCode = missing > 0 ? 1 : 0;
