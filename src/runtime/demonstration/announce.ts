import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { consoleLinks } from './console-links';
import { exampleInput } from './demo-agents';
import { NAMESPACE } from '../environment';
import { readAdvisorySets, type AdvisorySet } from './demo-advisories';
import type { FirstData } from './first-data';
import type { PublishedAgent } from '../runtime-file';
import { urlsOf, type Stack } from '../stack';
import type { Terminal } from '../base/terminal.cjs';

/**
 * Prints the address of the console with its links, the first paid call, the other addresses, and commands to paste.
 */
export async function announce(stack: Stack, data: FirstData, terminal: Terminal): Promise<void> {
  const { say, bold, dim } = terminal;
  const urls = urlsOf(stack);
  const workflowId = `invocation/${data.invocation.invocation_id}`;
  const links = await consoleLinks(urls.postgresApp, `${urls.api}/console`, data.users);
  say(`\n  ${bold('Console')}       ${urls.api}/console`);
  for (const [role, address] of links) say(`    ${role.padEnd(13)} ${address}`);
  say(`    ${dim('Each of these links logs in once, within 15 minutes.')}`);
  for (const line of data.account) say(line);
  say(shopLine(process.env));
  say(`\n  ${bold('Running')}`);
  say(`    API           ${urls.api}`);
  say(`    documentation ${urls.api}/docs/ ${dim('(built in the background when it changed)')}`);
  say(`    that call     ${await workflowUrl(urls.temporalUi, urls.temporalAddress, workflowId)}`);
  say(`    all workflows ${urls.temporalUi}/namespaces/${NAMESPACE}/workflows`);
  say(`    metrics       ${urls.metrics.api} ${dim(`and ${urls.metrics.worker} (worker)`)}`);
  say(
    `    connection    ${join(stack.settings.home, 'runtime.json')} ${dim('(addresses, accounts, passwords)')}`,
  );
  say(`    logs          ${join(stack.settings.home, 'logs')}`);
  for (const line of paymentLines(stack)) say(line);
  for (const line of advisoryLines(await readAdvisorySets(stack))) say(line);
  say(`\n  ${bold('Try it')} ${dim('as the buyer')}`);
  for (const [label, line] of await curlLines(stack, data)) say(`    ${dim(`# ${label}`)}\n    ${line}`);
  say(`\n  ${bold('Look at')} ${dim('after logging in by a link at the top')}`);
  for (const [role, what, page] of PAGES)
    say(`    ${role.padEnd(13)} ${urls.api}/console${page} ${dim(what)}`);
  say(`\n  Ctrl-C stops everything. The console is at ${urls.api}/console\n`);
}

/** How to try payments, or how to start the stack with them. */
function paymentLines({ payments }: Stack): string[] {
  if (!payments)
    return ['    payments      credits without money; to try both ways to pay: npm start -- --payments'];
  return [
    `    payments      ${payments.url} (no money moves: docs/try-payments.md)`,
    '                  node examples/payments/buy-a-call.mjs    a call without an account, by x402',
    '                  node examples/payments/top-up.mjs        a top-up by Stripe, as the buyer',
  ];
}

/** What shows most of each role. */
const PAGES = [
  ['buyer', 'spending by day, agent and key', '/wallet?tab=spending'],
  ['developer', 'what an agent earns, and why calls failed', '/developer/agents/agt_csv_profiler_v1'],
  ['operator', 'the marketplace in numbers', '/operator/figures'],
] as const;

/** Whether listings need an account, and the setting that opens them. */
export function shopLine(env: NodeJS.ProcessEnv): string {
  if (/^(true|t|yes|on|1)$/.test(env['PUBLIC_READS'] ?? ''))
    return '    the shop is open: listings and reports need no account (PUBLIC_READS=true)';
  return '    the shop is closed to visitors without an account; open it with: PUBLIC_READS=true npm start';
}

/** Until when advisories reach, or how to get some: without them, packages cannot be verified. */
export function advisoryLines(sets: readonly AdvisorySet[]): string[] {
  const dates = sets.map(({ ecosystem, date }) => `${ecosystem} until ${date}`);
  const known = `    advisories    ${dates.join(', ')}`;
  if (sets.some(({ isSnapshot }) => isSnapshot))
    return [
      `${known}: a snapshot about packages of the demonstration agents`,
      '                  for agents of your own: ADVISORY_SOURCE=osv npm start (docs/verification-bundles.md)',
    ];
  if (dates.length > 0) return [known];
  return [
    '    advisories    none: vulnerable and malicious packages are not recognized, and reports say so (no_advisories)',
    '                  with a network: ADVISORY_SOURCE=osv npm start',
    '                  without: npx market advisories import --complete npm/all.zip (docs/verification-bundles.md)',
  ];
}

/** URL of the workflow's run in Temporal's UI; after its history is deleted (24 h), the URL of the workflow id. */
async function workflowUrl(ui: string, address: string, workflowId: string): Promise<string> {
  const base = `${ui}/namespaces/${NAMESPACE}/workflows/${encodeURIComponent(workflowId)}`;
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace: NAMESPACE });
    const runId = await repeated(async () => (await client.workflow.getHandle(workflowId).describe()).runId);
    return runId ? `${base}/${runId}/history` : base;
  } finally {
    await connection.close();
  }
}

/** A call is enrolled beside its steps, so its workflow may begin a moment after its answer. */
async function repeated<T>(question: () => Promise<T>): Promise<T | undefined> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      return await question();
    } catch {
      await sleep(100);
    }
  }
  return undefined;
}

async function curlLines(stack: Stack, { buyer, agents }: FirstData): Promise<[string, string][]> {
  const { api } = urlsOf(stack);
  const cookie = `-b ${quote(buyer.cookie())}`;
  const json = `-H 'Content-Type: application/json'`;
  const post = (path: string, body: unknown) => `${json} -d ${quote(JSON.stringify(body))} ${api}${path}`;
  const { agentId, input } = await shortestExample(stack, agents);
  return [
    ['log in (a new session cookie)', `curl -si ${post('/v1/auth/login', stack.secrets.accounts.buyer)}`],
    ['list', `curl -s ${cookie} ${api}/v1/listings`],
    ['invoke', `curl -s ${cookie} ${post(`/v1/agents/${agentId}/invoke`, { input })}`],
    ['balance', `curl -s ${cookie} ${api}/v1/billing/balance`],
    ['ledger', `curl -s ${cookie} ${api}/v1/billing/ledger`],
    ...jobLine(agents, (path, body) => `curl -s ${cookie} -H 'Prefer: respond-async' ${post(path, body)}`),
  ];
}

/** A call that takes two minutes, by the agent of the demonstration that takes jobs. */
function jobLine(
  agents: readonly PublishedAgent[],
  curl: (path: string, body: unknown) => string,
): [string, string][] {
  const found = agents.find(({ slug }) => slug === 'factor-finder');
  if (!found) return [];
  const line = curl(`/v1/agents/${found.agent_id}/invoke`, { input: { numbers: ['NUMBERS'] } });
  const label = 'a job of two minutes; its page in the console shows the progress';
  return [[label, line.replace(`"NUMBERS"`, `'"$(seq -s, 240)"'`)]];
}

/** The shortest of the agents' example inputs, so that the command fits a line. Throws when no agent is published. */
async function shortestExample({ agents: demo }: Stack, agents: readonly PublishedAgent[]) {
  const shipped = agents.filter(({ slug }) => demo.some((agent) => agent.slug === slug));
  const examples = await Promise.all(
    shipped.map(async ({ agent_id: agentId, slug }) => ({ agentId, input: await exampleInput(demo, slug) })),
  );
  const length = ({ input }: { input: unknown }) => JSON.stringify(input).length;
  const [shortest] = examples.sort((a, b) => length(a) - length(b));
  if (!shortest) throw new Error('no demonstration agent is published');
  return shortest;
}

/** Quotes a word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll(`'`, `'\\''`)}'`;
}
