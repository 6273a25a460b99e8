/** The tools `search_agents` and `describe_agent`: what the catalogue knows, in the words and the size of a model. */
import { priceUnitsOf, type Pricing } from '../../../domain/catalogue/manifest';
import { priceExamples, priceTerms, type PriceExample } from '../../../domain/catalogue/pricing';
import { nextPriceInWords } from '../../../domain/prices/price-words';
import { pageOfTool } from '../../../domain/calls/page-address';
import { MarketError } from '../../../domain/errors';
import { asRecord } from '../../../domain/json-value';
import { creditsText, creditsToUnits, unitsToCredits } from '../../../domain/ledger/money';
import type { ApiKeys } from '../../../services/accounts/api-keys';
import type { Listing, ListingDetail, Listings } from '../../../services/catalogue/listings';
import type { ServingVersions } from '../../../services/catalogue/serving-version-cache';
import type { McpTools } from '../../../services/mcp/mcp-tools';
import type { TrustReports } from '../../../services/verification/trust-reports';
import type { McpExchange } from '../wire/mcp-request';
import type { ArgumentsOf, ResultOf } from './tool-schemas';
import { trustLines } from './trust-lines';

export interface AgentToolDeps {
  apiKeys: Pick<ApiKeys, 'limitsOf'>;
  listings: Listings;
  servingVersions: ServingVersions;
  trustReports: Pick<TrustReports, 'newest'>;
  mcpTools: McpTools;
}

const DEFAULT_FOUND = 5;
const OPERATORS = /["“”„«»]|(?<!\S)-+|(?<!\S)or(?!\S)/giu;
const MOST_DESCRIPTION = 300;
const MOST_EXAMPLES = 3;
/** Tools of an agent's server beyond this size are listed without their schemas. */
const MOST_TOOL_BYTES = 64 * 1024;

export async function searchAgents(
  { listings, apiKeys }: AgentToolDeps,
  { principal }: McpExchange,
  args: ArgumentsOf<'search_agents'>,
): Promise<ResultOf<'search_agents'>> {
  const { intent, max_price_credits: price, limit = DEFAULT_FOUND } = args;
  const { key, userId } = principal;
  // What the connection may not call is not found.
  const limits = key ? await apiKeys.limitsOf(userId, key.keyId) : undefined;
  const bounds = {
    category: args.category,
    minTrustScore: bound(Math.max, args.min_trust_score, limits?.leastTrust),
    maxPriceUnits: bound(
      Math.min,
      price === undefined ? undefined : creditsToUnits(Math.floor(price)),
      limits?.callCapUnits,
    ),
    maxP50Ms: args.max_latency_ms,
    agentIds: limits?.onlyAgents ?? undefined,
  };
  const search = { ...bounds, q: plainWords(intent), sort: 'relevance' as const };
  const { rows, total, isNear } = await listings.search(search, { limit, after: [] });
  const note =
    rows.length === 0
      ? 'No agent matches. Use other words, or wider bounds.'
      : isNear || rows[0]?.missing
        ? 'No agent has all of these words; these have some of them.'
        : undefined;
  return { agents: rows.map(foundView), total, ...(note !== undefined && { note }) };
}

/** An intent is a sentence: its quotes, dashes and `or` are no operators of a search. */
const plainWords = (intent: string) => intent.replaceAll(OPERATORS, ' ').replaceAll(/\s+/g, ' ').trim();

/** The stricter one of two bounds. */
function bound(
  stricter: (...values: number[]) => number,
  ...bounds: (number | null | undefined)[]
): number | undefined {
  const given = bounds.filter((each) => typeof each === 'number');
  return given.length === 0 ? undefined : stricter(...given);
}

function foundView(row: Listing): ResultOf<'search_agents'>['agents'][number] {
  const text = row.description;
  return {
    agent_id: row.agentId,
    name: row.displayName,
    description: text.length > MOST_DESCRIPTION ? `${text.slice(0, MOST_DESCRIPTION)}…` : text,
    category: row.category,
    price: priceView(row),
    trust_score: row.trustScore,
    badge: row.badge,
    calls_30d: row.invocations30d,
    success_rate: row.successRate,
    median_ms: row.p50Ms,
    takes_jobs: (row.publicPart.capabilities.jobs ?? null) !== null,
  };
}

export async function describeAgent(
  deps: AgentToolDeps,
  { principal, hops }: McpExchange,
  { agent_id: agentId }: ArgumentsOf<'describe_agent'>,
): Promise<ResultOf<'describe_agent'>> {
  const { userId } = principal;
  const listing = await deps.listings.get(agentId, userId);
  const report = await deps.trustReports.newest(userId, agentId).catch(noneIfNotFound);
  const { pricing, data_handling, capabilities } = listing.publicPart;
  const own = listing.kind === 'mcp' ? await toolsOf(deps, listing, { userId, hops }) : {};
  return {
    agent_id: agentId,
    name: listing.displayName,
    version: listing.version,
    description: listing.description,
    category: listing.category,
    developer: listing.developerName,
    price: priceView(listing),
    price_examples: priceExamples(priceTerms(pricing)).map(exampleText),
    trust: trustLines(report, listing),
    data_handling: { ...data_handling },
    capabilities: { ...capabilities },
    input_schema: listing.inputSchema,
    output_schema: listing.outputSchema,
    ...own,
    example_inputs: listing.examples.slice(0, MOST_EXAMPLES),
  };
}

function noneIfNotFound(error: unknown): undefined {
  if (!(error instanceof MarketError) || error.code !== 'not_found') throw error;
  return undefined;
}

/** The tools of an agent that is an MCP server. A server that does not list them now has none to show. */
async function toolsOf(
  { servingVersions, mcpTools }: AgentToolDeps,
  { agentId }: ListingDetail,
  { userId, hops }: { userId: string; hops: number },
): Promise<Pick<ResultOf<'describe_agent'>, 'tools' | 'note'>> {
  try {
    const json = (await mcpTools.of(await servingVersions.ofAgent(agentId, userId), hops)).json('modern');
    const listed = JSON.parse(json.toString()) as Record<string, unknown>[];
    const all = listed.filter(({ _meta }) => !pageOfTool(asRecord(_meta)).isForPagesOnly);
    const isLarge = json.length > MOST_TOOL_BYTES;
    const tools = all.map(({ name, description, inputSchema }) =>
      isLarge ? { name, description } : { name, description, inputSchema },
    );
    const note = isLarge ? 'The schemas of the tools are too large to be shown here.' : undefined;
    return { tools, ...(note !== undefined && { note }) };
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    return {
      tools: [],
      note: `The server of the agent did not list its tools: ${error.agentMessage ?? error.message}`,
    };
  }
}

function priceView({
  publicPart: { pricing },
  nextPrice,
}: Pick<Listing, 'publicPart' | 'nextPrice'>): ResultOf<'search_agents'>['agents'][number]['price'] {
  const most = unitsToCredits(priceUnitsOf(pricing));
  return {
    model: pricing.model,
    text: nextPrice
      ? `${priceText(pricing, most)}. ${nextPriceInWords(nextPrice)}`
      : priceText(pricing, most),
    max_credits_per_call: most,
    free_calls_per_month: pricing.free_tier_calls,
  };
}

function priceText({ model, credits_per_1k_tokens, credits_per_second }: Pricing, most: number): string {
  if (model === 'per_call') return `${creditsText(most)} per call`;
  const rate =
    model === 'per_token'
      ? `${credits_per_1k_tokens} credits per 1,000 tokens`
      : `${credits_per_second} credits per second`;
  return `${rate}, at most ${creditsText(most)} per call`;
}

function exampleText({ calls, tokens, seconds, credits }: PriceExample): string {
  const size = tokens === undefined ? seconds && `${seconds} s` : `${tokens} tokens`;
  const what = calls === 1 ? '1 call' : `${calls} calls`;
  return `${what}${size ? ` of ${size}` : ''}: ${creditsText(credits)}`;
}
