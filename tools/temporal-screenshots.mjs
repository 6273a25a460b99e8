import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { makeCalls } from './lib/call-scenes.mjs';
import { findChromium } from './lib/chromium.cjs';
import { makeMonday } from './lib/console-mondays.mjs';
import { makeDisputes } from './lib/dispute-scenes.mjs';
import { callerOf } from './lib/scenes.mjs';
import { makeSlashes } from './lib/slash-scenes.mjs';

/**
 * `node tools/temporal-screenshots.mjs [--out <folder>] [--only <word>]`: pictures of Temporal's UI, from a running
 * `npm start`, into docs/operators/temporal. The script makes a slash and a dispute in each of their states, a call
 * that succeeds and one that fails, and a Monday that pays. Of the other workflows it shows the newest; a picture whose
 * workflow does not exist in the stack is left out.
 */
const root = resolve(import.meta.dirname ?? '.', '..');
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const out = resolve(option('--out') ?? join(root, 'docs/operators/temporal'));
const home = resolve(process.env.MARKET_HOME ?? join(root, '.market'));
const runtime = JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8'));
const { temporal_ui_url: ui, temporal_namespace: namespace } = runtime;
const CALLS = 'WorkflowType IN ("invocation", "callGroup")';

/** Name of the picture, and the filter whose newest workflow it shows; without one, the list. */
const PICTURES = [
  ['list', undefined],
  ['call', `${CALLS} AND Outcome IS NULL`],
  ['failed-call', `${CALLS} AND Outcome IS NOT NULL`],
  ['verification', 'WorkflowType = "verificationRun"'],
];
const SLASHES = ['slash-applied', 'slash-contested', 'slash-overturned', 'slash-top-up', 'slash-delisted'];
const DISPUTES = ['dispute', 'dispute-contested', 'dispute-accepted', 'dispute-won', 'dispute-lost'];
const isWanted = (name) => !option('--only') || name.includes(option('--only'));

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
const WIDTH = 1280;
const HEIGHT = 900;
const HIGHEST = 2_000;
const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT }, timezoneId: 'UTC' });
/** The columns of the list, as its gear stores them. */
const COLUMNS = ['Status', 'Outcome', 'Type', 'Workflow ID'].map((label) => ({ label }));
await context.addInitScript(
  (columns) => globalThis.localStorage.setItem('namespace-workflow-table-columns', columns),
  JSON.stringify({ [namespace]: COLUMNS }),
);
const page = await context.newPage();
mkdirSync(out, { recursive: true });

/** A context of the browser in which a demonstration account has logged in. */
async function contextOf(role) {
  const own = await browser.newContext();
  const data = runtime.accounts[role];
  const answer = await own.request.post(`${runtime.api_url}/v1/auth/login`, { data });
  if (!answer.ok()) throw new Error(`${role} cannot log in: ${answer.status()}`);
  return own;
}

/**
 * The newest workflow of the filter. The index shows a workflow some seconds after its start, so `tries` may be needed.
 */
async function newest(filter, tries) {
  const address = `${ui}/api/v1/namespaces/${namespace}/workflows?query=${encodeURIComponent(filter)}`;
  for (let attempt = 1; ; attempt += 1) {
    const { executions = [] } = await (await context.request.get(address)).json();
    if (executions[0] || attempt >= tries) return executions[0]?.execution;
    await page.waitForTimeout(1_000);
  }
}

/** Makes the window so high that nothing of the page has to be scrolled. */
async function fitHeight() {
  const hidden = await page.evaluate(() => {
    const { document, getComputedStyle } = globalThis;
    const scrolled = [...document.querySelectorAll('*')].filter(
      (each) =>
        each.textContent.includes('Current Details') &&
        (each === document.documentElement || /auto|scroll/.test(getComputedStyle(each).overflowY)),
    );
    return Math.max(...scrolled.map((each) => each.scrollHeight - each.clientHeight));
  });
  await page.setViewportSize({ width: WIDTH, height: Math.min(HEIGHT + Math.max(0, hidden), HIGHEST) });
  await page.waitForTimeout(500);
}

const workflows = `${ui}/namespaces/${namespace}/workflows`;
async function take(name, filter, tries = 1) {
  const found = filter === undefined ? undefined : await newest(filter, tries);
  if (filter !== undefined && !found) {
    console.log(`${name}: the stack has no such workflow`);
    return;
  }
  const address = found
    ? `${workflows}/${encodeURIComponent(found.workflowId)}/${found.runId}/user-metadata`
    : workflows;
  await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  await page.goto(address, { waitUntil: 'load' });
  if (found) await page.getByText('Current Details').first().waitFor();
  // The worker answers the query for the current details when the page is open.
  await page.waitForTimeout(4_000);
  if (found) await fitHeight();
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(`${name}: ${address}`);
}

const scene = { root, home, runtime, contextOf };
const disputes = DISPUTES.some(isWanted) ? await makeDisputes(scene) : {};
if (isWanted('payout-monday')) {
  const as = {};
  for (const role of ['buyer', 'developer', 'operator']) as[role] = callerOf(runtime, await contextOf(role));
  const { agent_id: agent } = runtime.agents.find(({ slug }) => slug === 'csv-profiler');
  const workflowId = await makeMonday({ runtime, as, agent });
  PICTURES.push(['payout-monday', `WorkflowId = "${workflowId}"`]);
}
const made = SLASHES.some(isWanted) ? await makeSlashes(scene) : undefined;
if (['list', 'call', 'failed-call'].some(isWanted)) await makeCalls(scene);
for (const [name, filter] of PICTURES) if (isWanted(name)) await take(name, filter, 10);
for (const [name, disputeId] of Object.entries(disputes))
  if (isWanted(name)) await take(name, `WorkflowId = "dispute/${disputeId}"`, 10);
for (const [name, slashId] of Object.entries(made?.slashes ?? {}))
  if (isWanted(name)) await take(name, `WorkflowId = "slash/${slashId}"`, 10);
await made?.restore();
await browser.close();
