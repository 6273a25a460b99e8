import type { Command } from 'commander';
import { ApiFailure, type MarketApi } from '../api-client';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { fieldsText } from '../terminal/pages';

interface Balances {
  wallet: Record<string, unknown>;
  /** Null for accounts without a developer id. */
  developer: Record<string, unknown> | null;
}

/** `market balance`. */
export function balanceVerbs(program: Command): void {
  program
    .command('balance')
    .description('prints your credits: the wallet and, for developers, the earnings')
    .addHelpText('after', '\nExamples:\n  market balance\n  market balance --json')
    .action(
      verb(async (_options, command: Command) => {
        const balances = await read(connect(command.optsWithGlobals<GlobalOptions>()));
        const { wallet, developer } = balances;
        const text = developer
          ? `${fieldsText(wallet)}\n\nAs a developer\n${fieldsText(developer)}`
          : fieldsText(wallet);
        return { text, json: balances };
      }),
    );
}

async function read(api: MarketApi): Promise<Balances> {
  const wallet = await api.call<Balances['wallet']>('GET', '/v1/billing/balance');
  try {
    return { wallet, developer: await api.call('GET', '/v1/billing/developer/balance') };
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'forbidden') return { wallet, developer: null };
    throw error;
  }
}
