import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import { verb } from '../command-line';
import { connectPerson, findAgent, type GlobalOptions } from '../connect';
import { recordResult } from '../terminal/pages';

interface WhyOptions extends GlobalOptions {
  reason: string;
}

/** `market agents …` and `market wallets …`: what operators stop, and let go on. */
export function standingVerbs(program: Command): void {
  const agents = program.command('agents').description('stops agents, and lets them go on; for operators');
  const agentPath = (id: string) => `/v1/operator/agents/${encodeURIComponent(id)}`;
  addMove(agents, {
    name: 'suspend',
    what: ['<agent>', 'agent id or slug'],
    description: 'takes an agent out of search and from its callers; calls that run end as they would',
    example: 'market agents suspend agt_csv_profiler_v1 --reason "Reported by three buyers."',
    pathOf: async (agent, api) => `${agentPath(await findAgent(api, agent))}/suspend`,
  });
  addMove(agents, {
    name: 'reinstate',
    what: ['<agent>', 'its id, agt_…'],
    description: 'gives a suspended agent back to its callers',
    example: 'market agents reinstate agt_csv_profiler_v1 --reason "Mended."',
    pathOf: (id) => `${agentPath(id)}/reinstate`,
  });

  const wallets = program.command('wallets').description('freezes wallets, and thaws them; for operators');
  const accountPath = (id: string) => `/v1/operator/accounts/${encodeURIComponent(id)}`;
  wallets
    .command('show')
    .argument('<user>', 'its owner, usr_…')
    .description('how an account stands')
    .addHelpText('after', '\nExample:\n  market wallets show usr_…')
    .action(
      verb(async (userId: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await api.call<object>('GET', accountPath(userId)));
      }),
    );
  addMove(wallets, {
    name: 'freeze',
    what: ['<user>', 'its owner, usr_…'],
    description: 'lets a wallet pay for no new call, and nothing be withdrawn',
    example: 'market wallets freeze usr_… --reason "A stolen card."',
    pathOf: (id) => `${accountPath(id)}/freeze`,
  });
  addMove(wallets, {
    name: 'unfreeze',
    what: ['<user>', 'its owner, usr_…'],
    description: 'lets a frozen wallet pay again',
    example: 'market wallets unfreeze usr_… --reason "The card was not stolen."',
    pathOf: (id) => `${accountPath(id)}/unfreeze`,
  });
}

/** A deed over one id, with the reason that the log keeps. */
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
    .requiredOption('--reason <text>', 'for the log')
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
