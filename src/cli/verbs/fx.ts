import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { type Page } from '../terminal/pages';
import { tableText } from '../terminal/terminal-text';

type Rate = Schema<'ExchangeRate'>;

type RateFetch = Schema<'RateFetch'>;

interface PairOptions extends GlobalOptions {
  pair: string;
}

interface LoadOptions extends PairOptions {
  source: string;
  observedAt?: string;
}

const PATH = '/v1/operator/exchange-rates';
const SHOWN = 10;

/** `market fx …`: exchange rates of payouts in rupees and of top-ups, for operators (docs/payouts.md). */
export function fxVerbs(program: Command): void {
  const fx = program
    .command('fx')
    .description('exchange rates of payouts in rupees, and of top-ups; for operators');

  fx.command('show')
    .option('--pair <pair>', 'USD/INR, USD/EUR or USD/GBP', 'USD/INR')
    .description('prints the newest rates and the last fetches from their source')
    .addHelpText('after', '\nExamples:\n  market fx show\n  market fx show --pair USD/EUR')
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<PairOptions>();
        const api = connectPerson(options);
        const [rates, fetches] = await Promise.all([
          api.call<Page<Rate>>('GET', `${PATH}?limit=${SHOWN}&pair=${encodeURIComponent(options.pair)}`),
          api.call<Page<RateFetch>>('GET', `${PATH}/fetches?limit=${SHOWN}`),
        ]);
        const text = `${ratesText(rates.items, options.pair)}\n\n${fetchesText(fetches.items)}`;
        return { text, json: { rates, fetches } };
      }),
    );

  fx.command('load')
    .argument('<rate>', 'units of the currency per US dollar, at most 6 decimals')
    .requiredOption('--source <text>', 'where the rate comes from')
    .option('--pair <pair>', 'USD/INR, USD/EUR or USD/GBP', 'USD/INR')
    .option('--observed-at <time>', 'when the rate was observed, ISO 8601; default: now')
    .description(
      'loads a spot rate; payouts in rupees use the newest one of the week before their Monday, less 0.5%',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  market fx load 84.1235 --source "RBI reference rate"\n  market fx load 0.92 --pair USD/EUR --source ECB',
    )
    .action(
      verb(async (rate: string, _options, command: Command) => {
        const options = command.optsWithGlobals<LoadOptions>();
        const { source, pair, observedAt = new Date().toISOString() } = options;
        const body = { pair, rate, observed_at: observedAt, source };
        await connectPerson(options).call('POST', PATH, body);
        return { text: `Loaded ${rate}, observed at ${observedAt}.`, json: body };
      }),
    );
}

function ratesText(rates: readonly Rate[], pair: string): string {
  if (rates.length === 0)
    return pair === 'USD/INR'
      ? 'No rate is loaded: payouts in rupees roll over. Load one: market fx load'
      : `No rate is loaded for ${pair}: top-ups in it are refused. Load one: market fx load --pair ${pair}`;
  const rows = rates.map((rate) => [rate.rate, rate.observed_at, rate.source, rate.loaded_by]);
  return tableText([
    [pair === 'USD/INR' ? 'rupees' : pair.slice(4), 'observed', 'source', 'loaded by'],
    ...rows,
  ]);
}

function fetchesText(fetches: readonly RateFetch[]): string {
  if (fetches.length === 0) return 'No rate was fetched yet (FX_SOURCE configures the source).';
  const rows = fetches.map((fetch) => [
    fetch.last_at,
    `${fetch.times} times`,
    fetch.source,
    fetch.outcome,
    fetch.rate ?? '-',
    fetch.observed_at ?? '-',
    [fetch.reason, fetch.message].filter(Boolean).join(': ') || '-',
  ]);
  return tableText([['fetched', 'times', 'source', 'outcome', 'rupees', 'observed', 'reason'], ...rows]);
}
