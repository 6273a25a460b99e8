import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { verb } from '../command-line';
import { apiAddress, connect, findAgent, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';

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
  ivc: '/wallet',
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

/** The programs that open a web address, by `process.platform`. */
const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** `market open`. */
export function openVerbs(program: Command): void {
  program
    .command('open')
    .argument('<id>', 'id of a call, agent, dispute, webhook, payout, … or the slug of an agent')
    .description('prints the address of the console page of an id, and opens it on a terminal')
    .addHelpText(
      'after',
      '\nA browser opens only when the output is a terminal, and not with --json.\n\nExamples:\n  market open inv_…\n  market open unit-converter',
    )
    .action(
      verb(async (id: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const url = `${apiAddress(options)}/console${await pageOf(id, options)}`;
        if (process.stdout.isTTY && !options.json) openInBrowser(url);
        return { text: url, json: { url } };
      }),
    );
}

async function pageOf(id: string, options: GlobalOptions): Promise<string> {
  const [, prefix] = /^([a-z]{3})_[A-Za-z0-9_-]+$/.exec(id) ?? [];
  if (prefix === undefined) return `/agents/${await findAgent(connect(options), id)}`;
  const page = PAGES[prefix];
  if (page) return page.replace(':id', id);
  throw usageFailure(`${id} has no page in the console: pass an id that begins with ${prefixes()}`);
}

const prefixes = () => `${Object.keys(PAGES).join('_, ')}_`;

/** Starts the browser and does not wait for it. The address is on standard output when there is no browser. */
export function openInBrowser(url: string): void {
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
