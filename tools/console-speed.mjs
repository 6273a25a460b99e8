import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.cjs';

/**
 * `node tools/console-speed.mjs [--runs <count>]`: how long pages of the console take from the first byte asked for
 * until their content is shown and the browser is idle, with an empty cache and with a full one, from a running `npm
 * start`. Prints the median of the runs in ms, and what the first load transferred.
 */
const root = resolve(import.meta.dirname ?? '.', '..');
const args = process.argv.slice(2);
const runs = Number(args.includes('--runs') ? args[args.indexOf('--runs') + 1] : 5);
const home = process.env.MARKET_HOME ?? join(root, '.market');
const runtime = JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8'));
const agent = runtime.agents[0].agent_id;

const PAGES = [
  ['visitor', '/'],
  ['visitor', `/agents/${agent}`],
  ['buyer', `/agents/${agent}/try`],
  ['buyer', '/calls'],
  ['buyer', '/wallet'],
  ['developer', '/developer'],
  ['developer', `/developer/agents/${agent}`],
  ['developer', '/developer/publish'],
  ['operator', '/operator'],
  ['operator', '/platform'],
];

/** Runs in the page: notes when the title is there and nothing waits any more, and the end of the last long task. */
const WATCH = `(() => {
  const note = (globalThis.speed = { readyAt: 0, busyUntil: 0 });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) note.busyUntil = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    const isReady = document.querySelector('h1') && !document.querySelector('[aria-label=Loading]');
    if (!isReady) note.readyAt = 0;
    else if (note.readyAt === 0) note.readyAt = performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
})()`;
const READ = `({
  ...speed,
  bytes: performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
    .reduce((sum, { transferSize }) => sum + transferSize, 0),
  requests: performance.getEntriesByType('resource').length + 1,
})`;

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function measure(tab, path) {
  await tab.goto(`${runtime.api_url}/console${path}`);
  await tab.waitForSelector('h1');
  await tab.waitForSelector('[aria-label=Loading]', { state: 'detached' });
  await tab.waitForTimeout(700);
  const { readyAt, busyUntil, bytes, requests } = await tab.evaluate(READ);
  // A long task after the content delays the first click only if it began before.
  return { ms: Math.max(readyAt, Math.min(busyUntil, readyAt + 500)), bytes, requests };
}

async function contextOf(role) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  if (role !== 'visitor')
    await context.request.post(`${runtime.api_url}/v1/auth/login`, { data: runtime.accounts[role] });
  await context.addInitScript(WATCH);
  return context;
}

console.log('page'.padEnd(48), 'empty cache', 'full cache', 'kB', 'requests');
for (const [role, path] of PAGES) {
  const found = { cold: [], warm: [] };
  let first;
  for (let run = 0; run < runs; run++) {
    const context = await contextOf(role);
    const tab = await context.newPage();
    const cold = await measure(tab, path);
    first ??= cold;
    found.cold.push(cold.ms);
    found.warm.push((await measure(tab, path)).ms);
    await context.close();
  }
  const [cold, warm] = [found.cold, found.warm].map((values) => `${Math.round(median(values))} ms`);
  const size = (first.bytes / 1000).toFixed(0);
  console.log(path.padEnd(48), cold.padStart(11), warm.padStart(10), size, first.requests);
}
await browser.close();
