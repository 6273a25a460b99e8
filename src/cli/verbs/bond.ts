import { randomUUID } from 'node:crypto';
import type { Schema } from '../api-schema';
import type { Command } from 'commander';
import { creditsText } from '../../domain/ledger/money';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { readAmount } from '../terminal/amount';
import { tableText } from '../terminal/terminal-text';

type Withdrawal = Schema<'BondWithdrawal'>;

type Bond = Schema<'Bond'>;

const PATH = '/v1/billing/developer/bond';

/** `market bond …`: a developer's bond (docs/bonds.md). */
export function bondVerbs(program: Command): void {
  const bond = program
    .command('bond')
    .description('shows your bond, and moves credits into it and out of it');
  bond
    .command('show')
    .description('prints your bond, its tier, a shortfall and the withdrawals')
    .addHelpText('after', '\nExample:\n  market bond show')
    .action(
      verb(async (_options, command: Command) => {
        const shown = await connectPerson(command.optsWithGlobals<GlobalOptions>()).call<Bond>('GET', PATH);
        return { text: bondText(shown), json: shown };
      }),
    );
  addDeposit(bond);
  addWithdraw(bond);
}

function addDeposit(bond: Command): void {
  bond
    .command('deposit')
    .argument('<credits>', 'credits to move, such as 500 or 12.50')
    .description('moves credits from your wallet into the bond')
    .option('--idempotency-key <key>', 'a repeated request with the same key moves credits once')
    .addHelpText('after', '\nExample:\n  market bond deposit 500')
    .action(
      verb(async (credits: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { idempotencyKey?: string }>();
        const headers = { 'Idempotency-Key': options.idempotencyKey ?? randomUUID() };
        const body = { credits: readAmount(credits) };
        const shown = await connectPerson(options).call<Bond>('POST', `${PATH}/deposit`, body, headers);
        return { text: bondText(shown), json: shown };
      }),
    );
}

function addWithdraw(bond: Command): void {
  bond
    .command('withdraw')
    .argument('<credits>', 'credits to withdraw, such as 500 or 12.50')
    .description('requests a withdrawal from the bond; the wallet gets the credits after 30 days')
    .addHelpText(
      'after',
      '\nNothing is paid while a slash is undecided. The wallet gets what remains after slashes.\n\nExample:\n  market bond withdraw 500',
    )
    .action(
      verb(async (credits: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        const body = { credits: readAmount(credits) };
        const withdrawal = await api.call<Withdrawal>('POST', `${PATH}/withdraw`, body);
        const text = `${withdrawal.withdrawal_id}: ${creditsText(withdrawal.credits)} due on ${withdrawal.due_at}.`;
        return { text, json: withdrawal };
      }),
    );
}

function bondText({ bond_credits, slash_hold_credits, tier, tiers, shortfall, withdrawals }: Bond): string {
  const minimums = tiers.map((each) => `${each.tier} from ${each.minimum_credits}`).join(', ');
  const lines = [
    `The bond has ${creditsText(bond_credits)}. Its tier is ${tier ?? 'none'} (${minimums}).`,
    `Undecided slashes hold ${creditsText(slash_hold_credits)}.`,
  ];
  if (shortfall)
    lines.push(
      `${creditsText(shortfall.missing_credits)} missing. ${
        shortfall.delisted
          ? 'Your agents are not in search until you deposit them.'
          : `Deposit them by ${shortfall.top_up_by}, or your agents leave the search.`
      }`,
    );
  if (withdrawals.length > 0) lines.push('', tableText([HEAD, ...withdrawals.map(toRow)]));
  return lines.join('\n');
}

const HEAD = ['withdrawal', 'status', 'credits', 'paid', 'due'];

function toRow(withdrawal: Withdrawal): string[] {
  const { withdrawal_id, status, credits, paid_credits, due_at } = withdrawal;
  return [withdrawal_id, status, String(credits), String(paid_credits ?? '-'), due_at];
}
