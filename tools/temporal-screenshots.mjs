import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.cjs';

/**
 * `node tools/temporal-screenshots.mjs [--out <folder>] [--only <word>]`: pictures of Temporal's UI, from a running
 * `npm start`, into docs/operators/temporal. A picture whose workflow does not exist in the stack is left out.
 */
const root = resolve(import.meta.dirname ?? '.', '..');
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const out = resolve(option('--out') ?? join(root, 'docs/operators/temporal'));
const home = process.env.MARKET_HOME ?? join(root, '.market');
const { temporal_ui_url: ui, temporal_namespace: namespace } = JSON.parse(
  readFileSync(join(home, 'runtime.json'), 'utf8'),
);
const CALLS = 'WorkflowType IN ("invocation", "callGroup")';

/** Name of the picture, and the filter whose newest workflow it shows; without one, the list. */
const PICTURES = [
  ['list', undefined],
  ['call', `${CALLS} AND Outcome IS NULL`],
  ['failed-call', `${CALLS} AND Outcome IS NOT NULL`],
  ['dispute', 'WorkflowType = "disputeCase"'],
  ['slash', 'WorkflowType = "slashBond"'],
  ['verification', 'WorkflowType = "verificationRun"'],
  ['payout-monday', 'WorkflowType = "weeklyPayouts"'],
].filter(([name]) => !option('--only') || name.includes(option('--only')));

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' });
const page = await context.newPage();
mkdirSync(out, { recursive: true });

async function newest(filter) {
  const address = `${ui}/api/v1/namespaces/${namespace}/workflows?query=${encodeURIComponent(filter)}`;
  const { executions = [] } = await (await context.request.get(address)).json();
  return executions[0]?.execution;
}

const workflows = `${ui}/namespaces/${namespace}/workflows`;
for (const [name, filter] of PICTURES) {
  const found = filter === undefined ? undefined : await newest(filter);
  if (filter !== undefined && !found) {
    console.log(`${name}: the stack has no such workflow`);
    continue;
  }
  const address = found
    ? `${workflows}/${encodeURIComponent(found.workflowId)}/${found.runId}/user-metadata`
    : workflows;
  await page.goto(address, { waitUntil: 'load' });
  // The worker answers the query for the current details when the page is open.
  await page.waitForTimeout(4_000);
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(`${name}: ${address}`);
}
await browser.close();
