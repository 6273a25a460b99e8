import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import { groupOf, verb } from '../command-line';
import { connectPerson, findForOperator, type GlobalOptions } from '../connect';
import { recordResult } from '../terminal/pages';
import { addList, addShow } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';
import { SHOWS } from '../rows/shows';

const AGENT = 'agent id, or slug of a live agent';

interface WhyOptions extends GlobalOptions {
  reason: string;
}

/** `market agents …`, `wallets …`, `operator …`: operators suspend agents, freeze wallets, and remove lost apps. */
export function standingVerbs(program: Command): void {
  const agents = groupOf(program, 'agents');
  const agentPath = (id: string) => `/v1/operator/agents/${encodeURIComponent(id)}`;
  addShow(agents, 'standing', SHOWS['agents standing']);
  addMove(agents, {
    name: 'suspend',
    what: ['<agent>', AGENT],
    description: 'removes an agent from search and refuses new calls; running calls complete',
    example: 'market agents suspend agt_csv_profiler_v1 --reason "Reported by three buyers."',
    pathOf: async (agent, api) => `${agentPath(await findForOperator(api, agent))}/suspend`,
  });
  addMove(agents, {
    name: 'reinstate',
    what: ['<agent>', AGENT],
    description: 'makes a suspended agent callable again',
    example: 'market agents reinstate agt_csv_profiler_v1 --reason "Fixed."',
    pathOf: async (agent, api) => `${agentPath(await findForOperator(api, agent))}/reinstate`,
  });

  const wallets = program.command('wallets').description('freezes and unfreezes wallets; for operators');
  const accountPath = (id: string) => `/v1/operator/accounts/${encodeURIComponent(id)}`;
  addShow(wallets, 'show', SHOWS['wallets show']);
  addList(wallets, 'movements', CASE_LISTS['wallets movements']);
  addMove(wallets, {
    name: 'freeze',
    what: ['<user>', 'owner of the wallet, usr_…'],
    description: 'refuses new calls and withdrawals from a wallet',
    example: 'market wallets freeze usr_… --reason "A stolen card."',
    pathOf: (id) => `${accountPath(id)}/freeze`,
  });
  addMove(wallets, {
    name: 'unfreeze',
    what: ['<user>', 'owner of the wallet, usr_…'],
    description: 'allows calls and withdrawals from a frozen wallet again',
    example: 'market wallets unfreeze usr_… --reason "The card was not stolen."',
    pathOf: (id) => `${accountPath(id)}/unfreeze`,
  });
  addMove(groupOf(program, 'operator'), {
    name: 'remove-authenticator',
    what: ['<user>', 'the account, usr_…'],
    description: 'removes the authenticator app of a person who lost it and the recovery codes',
    example: 'market operator remove-authenticator usr_… --reason "Lost phone; identified by a video call."',
    pathOf: (id) => `${accountPath(id)}/remove-authenticator`,
  });
}

/** Adds a verb that changes one object by id, with a mandatory reason for the audit log. */
function addMove(
  group: Command,
  move: {
    name: string;
    what: [string, string];
    description: string;
    example: string;
    pathOf: (id: string, api: MarketApi) => string | Promise<string>;
  },
): void {
  group
    .command(move.name)
    .argument(...move.what)
    .requiredOption('--reason <text>', 'reason, kept in the audit log')
    .description(move.description)
    .addHelpText('after', `\nExample:\n  ${move.example}`)
    .action(
      verb(async (id: string, _options, command: Command) => {
        const options = command.optsWithGlobals<WhyOptions>();
        const api = connectPerson(options);
        const path = await move.pathOf(id, api);
        return recordResult(await api.call<object>('POST', path, { reason: options.reason }));
      }),
    );
}
