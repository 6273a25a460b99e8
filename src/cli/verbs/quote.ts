import type { Command } from 'commander';
import { creditsText } from '../../domain/ledger/money';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { readJsonArgument } from '../terminal/json-argument';
import { fieldsText } from '../terminal/pages';
import { exampleOf } from './invoke';

interface QuoteOptions extends GlobalOptions {
  example?: boolean;
}

/** `market quote`. */
export function quoteVerbs(program: Command): void {
  program
    .command('quote')
    .argument('<agent>', 'agent id or slug')
    .argument('[input]', 'a JSON object, @file, or - for standard input')
    .description('asks what a call with this input costs, for an offer that holds for ten minutes')
    .option('--example', "use the agent's first example input")
    .addHelpText(
      'after',
      `
Nothing is held or called. "market invoke --quote" with the same input costs what was offered, once. --json prints the
whole offer with its signature.

Examples:
  market quote unit-converter '{"quantity": "26.2 mi", "to": "km"}'
  market quote unit-converter --example --json
  market invoke unit-converter --example --quote quo_…`,
    )
    .action(
      verb(async (agent: string, input: string | undefined, _options, command: Command) => {
        const options = command.optsWithGlobals<QuoteOptions>();
        if (options.example ? input !== undefined : input === undefined)
          throw usageFailure('pass either an input or --example');
        const given = input === undefined ? undefined : await readJsonArgument(input, 'the input');
        const api = connect(options);
        const agentId = await findAgent(api, agent);
        const body = { input: given ?? (await exampleOf(api, agentId)) };
        const quote = await api.call<Schema<'Quote'>>('POST', `/v1/agents/${agentId}/quote`, body);
        return { text: quoteText(quote), json: quote };
      }),
    );
}

function quoteText(quote: Schema<'Quote'>): string {
  const { price_credits: price, ceiling_credits: most, expected_duration_ms: ms } = quote;
  return fieldsText({
    quote: quote.quote_id,
    costs: price === undefined ? `at most ${creditsText(most ?? 0)}` : creditsText(price),
    version: quote.version,
    'usually takes': ms === null ? undefined : `${ms} ms`,
    'holds until': quote.expires_at,
  });
}
