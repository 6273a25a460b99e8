import type { Command } from 'commander';
import { creditsText } from '../../domain/ledger/money';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, connectPerson, type GlobalOptions } from '../connect';
import { addList } from '../row-verbs';
import { MONEY_LISTS } from '../rows/money-lists';
import { wholeNumber } from './api-keys';

type AutoTopup = Schema<'AutoTopup'>;

const PATH = '/v1/billing/auto-topup';
const METHODS = '/v1/billing/payment-methods';

interface SetOptions extends GlobalOptions {
  below: string;
  buy: string;
  maxPerDay: string;
  maxPerMonth: string;
  method?: string;
}

/** `market payment-methods …` and `market auto-topup …` (docs/top-ups.md#automatic-top-ups). */
export function autoTopupVerbs(program: Command): void {
  methodVerbs(program);
  const auto = program
    .command('auto-topup')
    .description('tops up your wallet with a saved payment method when it is low');
  auto
    .command('show')
    .description('prints your automatic top-ups, and what they have bought')
    .addHelpText('after', '\nExample:\n  market auto-topup show')
    .action(
      verb(async (_options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        return resultOf(await api.call<AutoTopup>('GET', PATH));
      }),
    );
  addSet(auto);
  auto
    .command('off')
    .description('turns automatic top-ups off')
    .addHelpText('after', '\nExample:\n  market auto-topup off')
    .action(
      verb(async (_options, command: Command) => {
        await connectPerson(command.optsWithGlobals<GlobalOptions>()).call('DELETE', PATH);
        return { text: 'Automatic top-ups are off.', json: { status: 'off' } };
      }),
    );
}

function addSet(auto: Command): void {
  auto
    .command('set')
    .requiredOption('--below <credits>', 'top up when the wallet holds fewer credits')
    .requiredOption('--buy <credits>', 'credits of each top-up')
    .requiredOption('--max-per-month <credits>', 'most credits in a month')
    .option('--max-per-day <number>', 'most top-ups a day', '1')
    .option('--method <method>', 'saved payment method, svm_…; default: the newest')
    .description('sets automatic top-ups; they begin anew, also after they stopped')
    .addHelpText('after', '\nExample:\n  market auto-topup set --below 200 --buy 1000 --max-per-month 5000')
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<SetOptions>();
        const body = {
          below_credits: wholeNumber('--below', options.below),
          buy_credits: wholeNumber('--buy', options.buy),
          max_per_day: wholeNumber('--max-per-day', options.maxPerDay),
          max_per_month: wholeNumber('--max-per-month', options.maxPerMonth),
          ...(options.method !== undefined && { method_id: options.method }),
        };
        return resultOf(await connectPerson(options).call<AutoTopup>('PUT', PATH, body));
      }),
    );
}

function methodVerbs(program: Command): void {
  const methods = program.command('payment-methods').description('your saved payment methods');
  addList(methods, 'list', MONEY_LISTS['payment-methods list']);
  methods
    .command('delete')
    .argument('<method>', 'saved payment method, svm_…')
    .description('deletes a saved payment method; automatic top-ups with it are turned off')
    .addHelpText('after', '\nExample:\n  market payment-methods delete svm_…')
    .action(
      verb(async (id: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        await api.call('DELETE', `${METHODS}/${encodeURIComponent(id)}`);
        return { text: `Deleted ${id}.`, json: { method_id: id, deleted: true } };
      }),
    );
}

function resultOf(auto: AutoTopup) {
  return { text: textOf(auto), json: auto };
}

function textOf(auto: AutoTopup): string {
  const {
    status,
    below_credits: below,
    buy_credits: buy,
    max_per_day: perDay,
    max_per_month: perMonth,
  } = auto;
  if (below === null || buy === null || perMonth === null)
    return 'Automatic top-ups are off. Set them: market auto-topup set --below 200 --buy 1000 --max-per-month 5000';
  const why = auto.stopped_for === 'method_ended' ? 'the payment method has ended' : 'three top-ups failed';
  return [
    `Below ${creditsText(below)}, buy ${creditsText(buy)} with ${auto.method?.label ?? 'a method that has ended'}.`,
    `At most ${perDay} a day and ${creditsText(perMonth)} a month; ${auto.topups_today} today, ${creditsText(auto.credits_this_month)} this month.`,
    ...(status === 'stopped' ? [`Stopped: ${why}. market auto-topup set starts them again.`] : []),
  ].join('\n');
}
