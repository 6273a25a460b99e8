/** Lists and searches among 50,000 private agents, and the time of a 404 about one of them. */
import { searchListings } from '../../../../src/stores/catalogue/search/listing-search';
import { listListedAgents, listPageEnds } from '../../../../src/stores/catalogue/listed-agents';
import { readServingVersionOf } from '../../../../src/stores/catalogue/agent-owners';
import { readListing } from '../../../../src/stores/catalogue/listings';
import { readShownServing } from '../../../../src/stores/catalogue/serving-versions';
import { putListing } from '../../../support/catalogue/listings';
import { meterRows, type Statement } from '../../../support/ledger/rows-read';
import { register, type TestUser } from '../../../support/market';
import { useMarket } from '../../../support/use-market';

const market = useMarket({ operations: false });
const PRIVATE = 50_000;
const PUBLIC = 40;
/** Rows that a statement may read: those of the public agents, several times over, and none of the private ones. */
const MOST_ROWS = 1_000;

let buyer: TestUser;

beforeAll(async () => {
  const { owner } = market;
  buyer = await register(market, 'buyer');
  const developer = await register(market, 'developer');
  await owner.query(
    `INSERT INTO slugs (slug, developer_user_id) SELECT 'secret-' || n, $1 FROM generate_series(1, $2::int) n`,
    [developer.userId, PRIVATE],
  );
  await owner.query(
    `INSERT INTO agents (agent_id, slug, major, developer_user_id, kind, signing_secret, visibility)
     SELECT 'agt_secret_' || n || '_v1', 'secret-' || n, 1, $1, 'manifest', '', 'private' FROM generate_series(1, $2::int) n`,
    [developer.userId, PRIVATE],
  );
  await owner.query(
    `INSERT INTO agent_versions (version_id, agent_id, slug, version, major, minor, patch, state, manifest, manifest_sha256,
       public_part, endpoint_url, display_name, description, category, tags, pricing_model, price_units, free_tier_calls,
       timeout_ms, max_payload_bytes, retention_days, streaming, idempotent, a2a_invocable, live_at)
     SELECT 'agv_' || md5(n::text), 'agt_secret_' || n || '_v1', 'secret-' || n, '1.0.0', 1, 0, 0, 'live', '{}', 'x',
       '{"pricing": {"model": "per_call", "credits_per_call": 10}}', 'https://127.77.0.1', 'Secret', 'Helps', 'other', '{}',
       'per_call', 1000, 0, 1000, 1000, 1, false, false, true, now() FROM generate_series(1, $1::int) n`,
    [PRIVATE],
  );
  await owner.query(
    `UPDATE agents a SET serving_version_id = v.version_id FROM agent_versions v
      WHERE v.agent_id = a.agent_id AND a.visibility = 'private'`,
  );
  for (let at = 0; at < PUBLIC; at += 1)
    await putListing(market, developer, `open-${at}`, 1, {
      display_name: `Invoice reader ${at}`,
      description: 'Reads totals of scanned invoices.',
    });
  await owner.query('ANALYZE');
});

const reads: [string, () => Promise<unknown>][] = [
  ['the newest', () => search({}, 'newest')],
  ['the best', () => search({}, 'relevance')],
  ['a word', () => search({ q: 'invoice' }, 'relevance')],
  ['a misspelt word', () => search({ q: 'invioce' }, 'relevance')],
  ['a sentence', () => search({ q: 'read the totals of an invoice that was scanned' }, 'relevance')],
  ['a filter', () => search({ maxPriceUnits: 10_000, protocol: 'http' }, 'price_asc')],
  ['directories', () => listListedAgents(market.container.pool, { after: '', limit: 100 })],
  ['ends of sitemaps', () => listPageEnds(market.container.pool, 20)],
];

const search = (filter: object, sort: 'newest' | 'relevance' | 'price_asc') =>
  searchListings(market.container.pool, filter, { sort, limit: 21 });

/** Milliseconds of one request. */
async function timeOf(agentId: string): Promise<number> {
  const from = performance.now();
  const response = await fetch(`${market.url}/v1/listings/${agentId}`, { headers: { cookie: buyer.cookie } });
  await response.arrayBuffer();
  expect(response.status).toBe(404);
  return performance.now() - from;
}

it('answers 404 about a private agent in the time of one about a missing agent', async () => {
  const times: Record<'secret' | 'missing', number[]> = { secret: [], missing: [] };
  for (let at = 0; at < 350; at += 1)
    for (const kind of at % 2 === 0 ? (['secret', 'missing'] as const) : (['missing', 'secret'] as const)) {
      const took = await timeOf(`agt_${kind}_${1 + ((at * 37) % PRIVATE)}_v1`);
      if (at >= 50) times[kind].push(took);
    }
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const [secret, missing] = [median(times.secret), median(times.missing)];
  process.stderr.write(
    `median of a 404: private ${secret.toFixed(3)} ms, missing ${missing.toFixed(3)} ms\n`,
  );
  expect(Math.abs(secret - missing)).toBeLessThan(0.25 * missing);
});

describe('statements', () => {
  let measure: (work: () => Promise<unknown>) => Promise<Statement[]>;
  beforeAll(async () => {
    measure = await meterRows(market.database.name, [market.container.pool]);
  });

  it.each(reads)('reads no row of a private agent for %s', async (_name, read) => {
    await read();
    const statements = await measure(read);
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.filter(({ rowsRead }) => rowsRead > MOST_ROWS)).toEqual([]);
  });

  it('finds a private agent and a missing one by the same lookups of an index', async () => {
    const { pool } = market.container;
    const developer = 'dev_none';
    const rowsOf = async (agentId: string) => {
      const lookups = [
        () => readShownServing(pool, agentId, buyer.userId),
        () => readListing(pool, agentId, buyer.userId),
        () => readServingVersionOf(pool, developer, agentId.slice(4, -3).replace('_', '-'), buyer.userId),
      ];
      const counts: number[] = [];
      for (const lookup of lookups)
        counts.push(Math.max(...(await measure(lookup)).map(({ rowsRead }) => rowsRead)));
      return counts;
    };
    for (const agentId of ['agt_secret_77_v1', 'agt_missing_77_v1'])
      for (const rows of await rowsOf(agentId)) expect(rows).toBeLessThanOrEqual(5);
  });
});
