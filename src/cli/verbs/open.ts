import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { verb } from '../command-line';
import { apiAddress, connect, connectPerson, findAgent, type GlobalOptions } from '../connect';
import { CliFailure, usageFailure } from '../failure';

/** The page of the console that shows a thing, by the prefix of its id. `:id` stands for the id. */
const PAGES: Readonly<Record<string, string>> = {
  agt: '/agents/:id',
  inv: '/calls/:id',
  dsp: '/disputes/:id',
  whk: '/webhooks/:id',
  whd: '/webhooks',
  key: '/keys',
  txn: '/wallet',
  top: '/wallet',
  ivc: '/wallet?tab=invoices',
  pay: '/developer/payouts/:id',
  slh: '/developer/slashes/:id',
  bwd: '/developer/bond',
  usr: '/operator/accounts/:id',
  pmt: '/developer',
  fct: '/operator',
  fwv: '/operator',
  fnd: '/operator?find=:id',
  ver: '/operator?find=:id',
  ses: '/account',
  tax: '/operator',
  fxf: '/operator/payouts',
  opa: '/operator/audit',
};

/**
 * The filter of Temporal's list that finds the workflows of a thing, by the prefix of its id. Calls may share a
 * workflow.
 */
const WORKFLOWS: Readonly<Record<string, string>> = {
  inv: 'WorkflowId = "invocation/:id" OR Members = ":id"',
  agt: 'WorkflowId = "verification/:id" OR AgentId = ":id"',
  dsp: 'WorkflowId = "dispute/:id"',
  slh: 'WorkflowId = "slash/:id"',
  bwd: 'WorkflowId = "bond-withdrawal/:id"',
};

interface OpenOptions extends GlobalOptions {
  temporal?: boolean;
}

/** Where an account that is no operator sees what operators look up by its id. */
const OWN_PAGES: Readonly<Record<string, string>> = {
  usr: '/account',
  tax: '/developer',
  fct: '/developer/agents',
  fwv: '/developer/agents',
  fnd: '/developer/agents',
  ver: '/developer/agents',
};

/** The programs that open a web address, by `process.platform`. */
const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** `market open`. */
export function openVerbs(program: Command): void {
  program
    .command('open')
    .argument('<id>', 'id of a call, agent, dispute, webhook, payout, … or the slug of an agent')
    .option('--temporal', "the workflows of the id in Temporal's UI instead, for operators")
    .description('prints the address of the console page of an id, and opens it on a terminal')
    .addHelpText(
      'after',
      `
A browser opens only when the output is a terminal, and not with --json. Workflows are found of ${prefixesOf(WORKFLOWS)}.

Examples:
  market open inv_…
  market open unit-converter
  market open inv_… --temporal`,
    )
    .action(
      verb(async (id: string, _options, command: Command) => {
        const options = command.optsWithGlobals<OpenOptions>();
        const url = options.temporal
          ? await workflowsOf(id, options)
          : `${apiAddress(options)}/console${await pageOf(id, options)}`;
        if (process.stdout.isTTY && !options.json) openInBrowser(url);
        return { text: url, json: { url } };
      }),
    );
}

async function pageOf(id: string, options: GlobalOptions): Promise<string> {
  const prefix = prefixOf(id);
  if (prefix === undefined) return `/agents/${await findAgent(connect(options), id)}`;
  const own = OWN_PAGES[prefix];
  if (own && !(await mayBeOperator(options))) return own;
  const page = PAGES[prefix];
  if (page) return page.replace(':id', id);
  throw usageFailure(`${id} has no page in the console: pass an id that begins with ${prefixesOf(PAGES)}`);
}

/** False for an account that has logged in and is no operator. */
async function mayBeOperator(options: GlobalOptions): Promise<boolean> {
  const profile = connect(options).call<{ role: string }>('GET', '/v1/auth/me');
  return profile.then(
    ({ role }) => role === 'operator',
    () => true,
  );
}

/** Throws `CliFailure` if the caller is no operator, or the service does not know the address of Temporal's UI. */
async function workflowsOf(id: string, options: GlobalOptions): Promise<string> {
  const api = connectPerson(options);
  const prefix = prefixOf(id);
  const filter = WORKFLOWS[prefix ?? 'agt'];
  if (filter === undefined)
    throw usageFailure(
      `${id} has no workflow of its own: pass an id that begins with ${prefixesOf(WORKFLOWS)}`,
    );
  const { workflows_url: list } = await api.call<{ workflows_url: string | null }>(
    'GET',
    '/v1/operator/platform',
  );
  if (list === null)
    throw new CliFailure(
      "the marketplace does not know Temporal's UI: set TEMPORAL_UI_URL in the API process",
    );
  const known = prefix === undefined ? await findAgent(connect(options), id) : id;
  return `${list}?query=${encodeURIComponent(filter.replaceAll(':id', known))}`;
}

/** The prefix of an id; undefined for a slug. */
function prefixOf(id: string): string | undefined {
  return /^([a-z]{3})_[A-Za-z0-9_-]+$/.exec(id)?.[1];
}

function prefixesOf(pages: Readonly<Record<string, string>>): string {
  return `${Object.keys(pages).join('_, ')}_`;
}

/** Starts the browser and does not wait for it. The address is on standard output when there is no browser. */
export function openInBrowser(url: string): void {
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
