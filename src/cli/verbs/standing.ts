import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { agentIdOf } from '../../domain/catalogue/slug';
import type { MarketApi } from '../api-client';
import { groupOf, verb } from '../command-line';
import { connectPerson, findAgent, type GlobalOptions } from '../connect';
import { CliFailure } from '../failure';
import { listVerb, type PageOptions, recordResult, withPages } from '../terminal/pages';

const AGENT = 'agent id, or slug of a live agent';

interface WhyOptions extends GlobalOptions {
  reason: string;
}

/** `market agents …` and `market wallets …`: operators suspend agents and freeze wallets, and undo both. */
export function standingVerbs(program: Command): void {
  const agents = groupOf(program, 'agents');
  const agentPath = (id: string) => `/v1/operator/agents/${encodeURIComponent(id)}`;
  agents
    .command('standing')
    .argument('<agent>', AGENT)
    .description('prints the state of an agent, also of a suspended or retired one; for operators')
    .addHelpText('after', '\nExample:\n  market agents standing agt_csv_profiler_v1')
    .action(
      verb(async (id: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await api.call<object>('GET', agentPath(await findForOperator(api, id))));
      }),
    );
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
  wallets
    .command('show')
    .argument('<user>', 'owner of the wallet, usr_…')
    .description('prints the state of an account')
    .addHelpText('after', '\nExample:\n  market wallets show usr_…')
    .action(
      verb(async (userId: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await api.call<object>('GET', accountPath(userId)));
      }),
    );
  addMovements(wallets, accountPath);
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
}

/**
 * Resolves an agent argument as `findAgent` does. A slug finds live agents only, so the failure for another one says
 * how the ids of its versions are made.
 */
async function findForOperator(api: MarketApi, agent: string): Promise<string> {
  try {
    return await findAgent(api, agent);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.json['code'] !== 'not_found') throw error;
    const message = `no live agent has the slug ${agent}: pass the id of a suspended or retired one, such as ${agentIdOf(agent, 1)}`;
    throw new CliFailure(message, error.exitCode, error.json);
  }
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

type Movement = Schema<'AccountMovement'>;

function addMovements(wallets: Command, accountPath: (id: string) => string): void {
  withPages(wallets.command('movements'))
    .argument('<user>', 'the account, usr_…')
    .description('lists every movement of an account, newest first')
    .addHelpText('after', '\nExample:\n  market wallets movements usr_…')
    .action(
      verb((userId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<PageOptions>();
        return listVerb<Movement>(connectPerson(options), `${accountPath(userId)}/movements`, options, {
          head: ['at', 'account', 'type', 'credits', 'balance after', 'what'],
          row: (move) => [
            move.created_at,
            move.account,
            move.entry_type,
            move.credits > 0 ? `+${move.credits}` : String(move.credits),
            String(move.balance_after_credits),
            move.description,
          ],
        });
      }),
    );
}
