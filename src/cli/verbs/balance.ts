import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { ApiFailure, type MarketApi } from '../api-client';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { ownerText } from '../login/owner';
import { oneLine, tableText } from '../terminal/terminal-text';
import { creditsText } from '../../domain/ledger/money';

type Wallet = Schema<'Balance'>;

type JobHold = Schema<'JobHold'>;

type Earnings = Schema<'GetDeveloperBalanceResponse'>;

interface Balances {
  wallet: Wallet;
  /** Null for accounts without a developer id. */
  developer: Earnings | null;
}

/** `market balance`. */
export function balanceVerbs(program: Command): void {
  program
    .command('balance')
    .description('prints your credits: the wallet and, for developers, the earnings')
    .addHelpText('after', '\nExamples:\n  market balance\n  market balance --json')
    .action(
      verb(async (_options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const balances = await read(api);
        const title = api.owner ? `Wallet of ${oneLine(ownerText(api.owner))}\n` : '';
        return { text: `${title}${balanceText(balances)}`, json: balances };
      }),
    );
}

/** Each number with what it is. */
function balanceText({ wallet, developer }: Balances): string {
  const numbers = rowsText([
    ['Available:', wallet.available_credits, `to spend on calls; worth ${wallet.usd_equivalent} USD`],
    ['Held:', wallet.escrow_credits, 'for calls in progress; what a call does not cost comes back'],
    ...ownBudget(wallet),
  ]);
  const text =
    wallet.held_for_jobs.length === 0 ? numbers : `${numbers}\n\n${jobsText(wallet.held_for_jobs)}`;
  if (!developer) return text;
  const earnings = rowsText([
    ['Earned:', developer.pending_payout_credits, 'not yet part of a payout'],
    [
      'Ready:',
      developer.matured_credits,
      'the part of it whose dispute window has closed, for the next payout',
    ],
    ['Bond:', developer.bond_credits, 'your deposit; it is not part of the wallet'],
    ['Earned in all:', developer.lifetime_earned_credits, 'after fees and after what disputes returned'],
  ]);
  return `${text}\n\nAs a developer\n${earnings}${reserveText(developer)}`;
}

/** What the member who acts for an organisation may still spend. */
function ownBudget({ member_budget: budget }: Wallet): [string, number, string][] {
  if (!budget) return [];
  const { credits, window, left_credits: left, window_ends_at: end } = budget;
  const until = end === null ? '' : `, which begins anew at ${end}`;
  return [['For you:', left, `left of your budget, ${creditsText(credits)} (${window})${until}`]];
}

const WAITS = {
  agent: ({ ends_at }: JobHold) => `its agent must answer until ${ends_at}`,
  buyer: ({ ends_at }: JobHold) =>
    `its agent has asked you a question until ${ends_at}: market invocations show`,
  settlement: () => 'its agent has answered; the charge is being settled',
};

/** The holds of jobs, and what each waits for. */
function jobsText(holds: readonly JobHold[]): string {
  const rows = holds.map((hold) => [
    hold.invocation_id,
    hold.agent_id,
    creditsText(hold.credits),
    WAITS[hold.waits_for](hold),
  ]);
  return `Held for jobs\n${tableText([['call', 'agent', 'credits', 'waits'], ...rows])}`;
}

/** Why earnings mature late before the first payout. */
function reserveText({ reserve }: Earnings): string {
  if (!reserve) return '';
  const { buyers_younger_than_days: days, matures_after_seconds: seconds } = reserve;
  return `\nUntil your first payout, earnings from buyers whose account or first top-up is younger than ${days} days are ready after ${Math.ceil(seconds / 86_400)} days.`;
}

function rowsText(rows: readonly [string, number, string][]): string {
  return tableText(
    rows.map(([name, credits, meaning]) => [
      name.padEnd('Earned in all:'.length),
      creditsText(credits),
      meaning,
    ]),
  );
}

async function read(api: MarketApi): Promise<Balances> {
  const wallet = await api.call<Wallet>('GET', '/v1/billing/balance');
  try {
    return { wallet, developer: await api.call('GET', '/v1/billing/developer/balance') };
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'forbidden') return { wallet, developer: null };
    throw error;
  }
}
