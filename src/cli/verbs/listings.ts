import { type Command, Option } from 'commander';
import type { Schema } from '../api-schema';
import { defaultVerb, verb } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { addShow } from '../row-verbs';
import { listingText, priceOf } from '../terminal/listing-text';
import { ofTotal } from '../terminal/pages';
import { listText, type TableRow } from '../terminal/terminal-text';

interface ListingsOptions extends GlobalOptions {
  category?: string;
  tag: string[];
  badge?: string;
  minTrustScore?: string;
  maxPrice?: string;
  pricingModel?: string;
  protocol?: string;
  minSuccessRate?: string;
  maxP50Ms?: string;
  streaming?: boolean;
  jobs?: boolean;
  chat?: boolean;
  residency?: string;
  maxRetentionDays?: string;
  sort?: string;
  limit?: string;
  cursor?: string;
}

type Page = Schema<'ListingPage'>;

/** `market listings` and `market listings show`. */
export function listingVerbs(program: Command): void {
  const listings = program
    .command('listings')
    .description('searches the marketplace, and shows what an agent takes and costs');
  addShow<Schema<'ListingDetail'>>(listings, 'show', {
    about: 'prints the price, the input, the output and an example call of an agent',
    note: '--json has the whole schemas, all examples and the versions.',
    examples: ['market listings show unit-converter'],
    args: [['<agent>', 'agent id or slug']],
    agent: findAgent,
    path: '/v1/listings/{}',
    text: listingText,
  });
  // Any word may be searched for, also one that is like the name of a verb.
  defaultVerb(listings, 'search', () => true)
    .argument('[words...]', 'words, or a sentence that says what the agent shall do')
    .description('searches the marketplace')
    .option('--category <category>', 'category of the manifest, such as data-processing')
    .addOption(
      new Option('--tag <tag>', 'tag of the manifest; repeatable: all must match')
        .argParser((tag, tags: string[]) => [...tags, tag])
        .default([], 'any'),
    )
    .option('--badge <badge>', 'basic, standard or premium')
    .option('--min-trust-score <score>', 'lowest trust score, 0 to 100')
    .option('--max-price <credits>', 'highest price of a call')
    .option('--pricing-model <model>', 'per_call, per_token or per_second')
    .option('--protocol <protocol>', 'http, mcp or a2a')
    .option('--min-success-rate <share>', 'lowest share of paid calls that succeeded, 0 to 1')
    .option('--max-p50-ms <ms>', 'highest median duration of a call')
    .option('--streaming', 'only agents that stream their answers')
    .option('--jobs', 'only agents that take jobs')
    .option('--chat', 'only agents that chat')
    .option('--residency <region>', 'region in which data stays: eu, us, in, ap or global')
    .option('--max-retention-days <days>', 'how many days the agent may keep data')
    .option(
      '--sort <order>',
      'relevance, trust_score, price_asc, price_desc, newest, popular, success_rate or latency',
    )
    .option('--limit <number>', 'rows per page, 1 to 100')
    .option('--cursor <cursor>', 'cursor of the next page of the same search')
    .addHelpText(
      'after',
      `
Examples:
  market listings
  market listings units --max-price 2 --sort trust_score
  market listings translate a contract into german
  market listings --category data-processing --tag csv --json`,
    )
    .action(
      verb(async (words: string[], _options, command: Command) => {
        const options = command.optsWithGlobals<ListingsOptions>();
        const page = await connect(options).call<Page>('GET', `/v1/listings${queryOf(words, options)}`);
        return { text: describe(page), json: page };
      }),
    );
}

function queryOf(words: readonly string[], options: ListingsOptions): string {
  const fields: [string, string | undefined][] = [
    ['q', words.join(' ') || undefined],
    ['category', options.category],
    ...options.tag.map((tag): [string, string] => ['tag', tag]),
    ['badge', options.badge],
    ['min_trust_score', options.minTrustScore],
    ['max_price', options.maxPrice],
    ['pricing_model', options.pricingModel],
    ['protocol', options.protocol],
    ['min_success_rate', options.minSuccessRate],
    ['max_p50_ms', options.maxP50Ms],
    ['streaming', options.streaming ? 'true' : undefined],
    ['jobs', options.jobs ? 'true' : undefined],
    ['chat', options.chat ? 'true' : undefined],
    ['residency', options.residency],
    ['max_retention_days', options.maxRetentionDays],
    ['sort', options.sort],
    ['limit', options.limit],
    ['cursor', options.cursor],
  ];
  const given = fields.filter((field): field is [string, string] => field[1] !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
}

function describe({ items, next_cursor, total, nearest, left_out: leftOut }: Page): string {
  if (items.length === 0 && nearest && leftOut) {
    const without = [...leftOut.words.map((word) => `"${word}"`), ...leftOut.filters].join(', ');
    const others = leftOut.alone.slice(1);
    const also = others.length > 0 ? `\nAlso found without one of these alone: ${others.join(', ')}.` : '';
    return `Nothing found. The nearest, without ${without}:\n${table(nearest)}${also}`;
  }
  if (items.length === 0) return 'Nothing found.';
  const more = next_cursor ? `\nmore: --cursor ${next_cursor}` : '';
  return `${table(items)}\n${items.length}${ofTotal(total)}${more}`;
}

/** The last column is there if an agent misses words of the query. */
function table(items: Page['items']): string {
  const isPart = items.some(({ match }) => match && match.missing.length > 0);
  const rows = items.map((item): TableRow => {
    const { agent_id, display_name, category, badge, trust_score, match } = item;
    const facts = [agent_id, display_name, category, priceOf(item), badge ?? '-', String(trust_score ?? '-')];
    return isPart ? [...facts, match?.missing.join(' ') ?? ''] : facts;
  });
  const head = ['agent', 'name', 'category', 'credits', 'badge', 'score', ...(isPart ? ['misses'] : [])];
  return listText(head, rows);
}
