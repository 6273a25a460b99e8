import { newId } from '../../src/kit/ids';
import { testManifest } from '../support/agents/manifest';
import { putLive, register, startMarket, type TestMarket, type TestUser } from '../support/market';
import { places, request } from '../support/publishing';

interface Listing {
  agent_id: string;
  slug: string;
  trust_score: number | null;
  pricing: { credits_per_call: number };
  created_at: string;
  stats: { invocations_30d: number; success_rate: number | null; p50_ms: number | null };
}
type Page = { items: Listing[]; next_cursor: string | null; total: number };

const ENDPOINT = 'https://127.77.0.9:9443/secret-path';

let market: TestMarket;
let developer: TestUser;
let buyer: TestUser;

beforeAll(async () => {
  market = await startMarket({ operations: false });
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer');
});
afterAll(() => market.stop());

interface Fields {
  display_name?: string;
  description?: string;
  category?: string;
  tags?: string[];
  pricing_model?: string;
  badge?: string | null;
  trust_score?: number | null;
  kind?: string;
  listed?: boolean;
  status?: string;
  created_at?: string;
}

let made = 0;

/** An agent that is live, with the given fields behind the rules of publishing. */
async function list(slug: string, credits: number, fields: Fields = {}): Promise<string> {
  made += 1;
  const { agentId, versionId } = await putLive(market, developer.userId, ENDPOINT, {
    agentId: slug,
    credits,
  });
  const {
    badge = null,
    trust_score = null,
    kind = 'manifest',
    listed = true,
    status = 'active',
    ...texts
  } = fields;
  const createdAt = fields.created_at ?? new Date(Date.UTC(2026, 0, 1) + made * 1_000).toISOString();
  delete texts.created_at;
  await market.owner.query(
    `UPDATE agents SET badge = $2, trust_score = $3, kind = $4, listed = $5, status = $6, created_at = $7 WHERE agent_id = $1`,
    [agentId, badge, trust_score, kind, listed, status, createdAt],
  );
  await market.owner.query('ALTER TABLE agent_versions DISABLE TRIGGER agent_version_is_immutable');
  for (const [column, value] of Object.entries(texts)) {
    await market.owner.query(`UPDATE agent_versions SET ${column} = $2 WHERE version_id = $1`, [
      versionId,
      value,
    ]);
  }
  await market.owner.query('ALTER TABLE agent_versions ENABLE TRIGGER agent_version_is_immutable');
  return agentId;
}

const search = (query: string, who = buyer) => request<Page>(market, who, 'GET', `/v1/listings?${query}`);
const slugsOf = async (query: string) => (await search(query)).body.items.map(({ slug }) => slug);

/** Every page of a search, one after another. */
async function walk(
  query: string,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Listing[]> {
  const all: Listing[] = [];
  let cursor: string | null = null;
  do {
    const { status, body }: { status: number; body: Page } = await search(
      `${query}${cursor ? `&cursor=${cursor}` : ''}`,
    );
    expect(status).toBe(200);
    all.push(...body.items);
    cursor = body.next_cursor;
    await between();
  } while (cursor !== null);
  return all;
}

describe('searching', () => {
  beforeAll(async () => {
    await list('f-invoice', 30, {
      display_name: 'Invoice reader',
      description: 'Extracts totals from scanned invoices.',
      category: 'finance',
      tags: ['pdf', 'ocr'],
      badge: 'standard',
      trust_score: 80,
    });
    await list('f-translate', 5, {
      display_name: 'Translator',
      description: 'Turns contracts and one invoice into French.',
      category: 'communication',
      tags: ['pdf', 'language'],
      badge: 'basic',
      trust_score: 55,
    });
    await list('f-research', 100, {
      display_name: 'Web scout',
      description: 'Finds sources about any topic.',
      category: 'web-research',
      tags: ['web', 'ocr'],
      trust_score: 90,
      badge: 'premium',
      pricing_model: 'per_token',
    });
    await list('f-tools', 1, {
      display_name: 'Toolbox',
      description: 'Many small helpers.',
      category: 'other',
      tags: ['invoice'],
      kind: 'mcp',
    });
    await list('f-hidden', 1, { display_name: 'Hidden invoice', listed: false });
    await list('f-retired', 1, { display_name: 'Retired invoice', status: 'retired' });
    await list('f-suspended', 1, { display_name: 'Suspended invoice', status: 'suspended' });
  });

  it('finds words of name, tags and description, the name counting most', async () => {
    expect(await slugsOf('q=invoices')).toEqual(['f-invoice', 'f-tools', 'f-translate']);
    expect(await slugsOf('q=invoice+-french')).toEqual(['f-invoice', 'f-tools']);
    expect(await slugsOf('q=%22scanned+invoices%22')).toEqual(['f-invoice']);
  });

  it.each([
    ['q=%27%22%3A*%26%7C!()%3C-%3E', []],
    ['q=the', []],
    ['q=zzzz', []],
    ['category=finance', ['f-invoice']],
    ['tag=pdf', ['f-invoice', 'f-translate']],
    ['tag=pdf&tag=ocr', ['f-invoice']],
    ['tag=pdf&tag=web', []],
    ['badge=premium', ['f-research']],
    ['min_trust_score=80', ['f-research', 'f-invoice']],
    ['min_trust_score=0', ['f-research', 'f-invoice', 'f-translate', 'f-tools']],
    ['max_price=5', ['f-translate', 'f-tools']],
    ['max_price=4.99', ['f-tools']],
    ['max_price=0', []],
    ['pricing_model=per_token', ['f-research']],
    ['protocol=mcp', ['f-tools']],
    ['protocol=http&max_price=30', ['f-invoice', 'f-translate']],
    ['sort=trust_score', ['f-research', 'f-invoice', 'f-translate', 'f-tools']],
    ['sort=price_asc', ['f-tools', 'f-translate', 'f-invoice', 'f-research']],
    ['sort=price_desc', ['f-research', 'f-invoice', 'f-translate', 'f-tools']],
    ['sort=newest', ['f-tools', 'f-research', 'f-translate', 'f-invoice']],
    ['q=invoice&sort=price_asc', ['f-tools', 'f-translate', 'f-invoice']],
  ])('answers %s', async (query, expected) => {
    const { body } = await search(query);
    expect(body.items.map(({ slug }) => slug)).toEqual(expected);
    expect(body.total).toBe(expected.length);
    expect(body.next_cursor).toBeNull();
  });

  it.each([
    ['category=games', 'category'],
    ['sort=cheapest', 'sort'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['min_trust_score=101', 'min_trust_score'],
    ['max_price=-1', 'max_price'],
    ['max_price=NaN', 'max_price'],
    ['protocol=ftp', 'protocol'],
    ['badge=gold', 'badge'],
    ['q=%00', 'q'],
    ['surprise=1', 'surprise'],
    ['cursor=abc', 'cursor'],
    ['cursor=WyJhIiwiYiIsImMiXQ', 'cursor'],
  ])('refuses %s with 422', async (query, field) => {
    const reply = await search(query);
    expect(reply.status).toBe(422);
    expect(places(reply).map((place) => place.split('.')[0])).toEqual([field]);
  });

  it('sorts by the calls of the last 30 days, and shows how they went', async () => {
    const invoice = 'agt_f_invoice_v1';
    const call = (status: string, durationMs: number, ageDays: number) =>
      market.owner.query(
        `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
           price_units, input_sha256, owner, trace_id, duration_ms, charged_units, invoked_at, settled_at)
         SELECT $1, $2, developer_user_id, agent_id, serving_version_id, '1.0.0', 'invoke', $3, 0, 'x', 'test', 'test', $4, 0, now(), now()
           FROM agents WHERE agent_id = $5`,
        [idOfAge(ageDays), buyer.userId, status, durationMs, invoice],
      );
    for (const durationMs of [10, 20, 30]) await call('succeeded', durationMs, 1);
    await call('failed', 999, 2);
    await call('succeeded', 5_000, 31);
    await market.container.listings.refreshStats();
    const [first] = (await search('sort=popular')).body.items;
    expect(first).toMatchObject({
      agent_id: invoice,
      stats: { invocations_30d: 4, success_rate: 0.75, p50_ms: 20 },
    });
    const other = await request<Listing>(market, buyer, 'GET', '/v1/listings/agt_f_tools_v1');
    expect(other.body.stats).toEqual({ invocations_30d: 0, success_rate: null, p50_ms: null });
  });
});

/** An invocation id as it was made some days ago. */
function idOfAge(days: number): string {
  const time = (Date.now() - days * 86_400_000).toString(16).padStart(12, '0');
  return `inv_${time}${newId('inv').slice(-20)}`;
}

describe('one agent', () => {
  it('shows its schemas, examples and versions, and never its endpoint or secret', async () => {
    await list('d-one', 3);
    const reply = await request(market, buyer, 'GET', '/v1/listings/agt_d_one_v1');
    const manifest = testManifest(ENDPOINT);
    expect(reply).toMatchObject({
      status: 200,
      body: {
        agent_id: 'agt_d_one_v1',
        version: '1.0.0',
        protocol: 'http',
        pricing: { model: 'per_call', credits_per_call: 3 },
        input_schema: manifest.input_schema,
        output_schema: manifest.output_schema,
        versions: [{ version: '1.0.0', status: 'live' }],
        developer: { developer_id: expect.stringMatching(/^dev_/) as unknown },
      },
    });
    const everything = JSON.stringify([reply.body, (await search('')).body]);
    expect(everything).not.toContain('127.77.0.9');
    expect(everything).not.toContain('secret');
  });

  it.each([
    'agt_f_retired_v1',
    'agt_f_suspended_v1',
    'agt_no_such_v1',
    'slug/f-retired',
    'slug/no-such',
    'slug/NOT%20A%20SLUG',
  ])('is 404 when it is not there for others: %s', async (path) => {
    expect((await request(market, buyer, 'GET', `/v1/listings/${path}`)).status).toBe(404);
  });

  it('is still read by id when it is out of search', async () => {
    expect((await request(market, buyer, 'GET', '/v1/listings/agt_f_hidden_v1')).status).toBe(200);
  });

  it('needs a session', async () => {
    expect((await request(market, { cookie: '' }, 'GET', '/v1/listings')).status).toBe(401);
  });
});

describe('walking through pages', () => {
  const COUNT = 45;

  beforeAll(async () => {
    for (let index = 0; index < COUNT; index += 1) {
      // Many equal keys, so that ties are walked too.
      await list(`w-${index}`, 1 + (index % 4), {
        category: 'media',
        trust_score: index % 3 === 0 ? null : (index % 5) * 10,
        display_name: `Walker ${'walker '.repeat(index % 3)}`,
      });
    }
  });

  it.each(['relevance', 'trust_score', 'price_asc', 'price_desc', 'newest', 'popular'])(
    'by %s has no gap and no repetition, while agents are added',
    async (sort) => {
      let added = 0;
      const before = (await walk(`category=media&sort=${sort}&limit=100`)).map(({ slug }) => slug);
      const seen = await walk(`category=media&sort=${sort}&limit=7`, async () => {
        added += 1;
        await list(`x-${sort.replace('_', '-')}-${added}`, 1 + (added % 4), {
          category: 'media',
          trust_score: (added % 5) * 10,
        });
      });
      const slugs = seen.map(({ slug }) => slug);
      expect(new Set(slugs).size).toBe(slugs.length);
      expect(slugs.filter((slug) => before.includes(slug))).toEqual(before);
    },
  );

  it('by relevance of words has no gap either', async () => {
    const whole = await walk('q=walker&limit=100');
    const pages = await walk('q=walker&limit=4');
    expect(whole).toHaveLength(COUNT);
    expect(pages.map(({ slug }) => slug)).toEqual(whole.map(({ slug }) => slug));
  });

  it('keeps a cursor to its query', async () => {
    const { body } = await search('category=media&sort=newest&limit=2');
    for (const query of [
      'category=media&sort=price_asc',
      'sort=newest',
      'category=media&sort=newest&q=walker',
    ]) {
      expect((await search(`${query}&limit=2&cursor=${body.next_cursor}`)).status).toBe(422);
    }
    expect((await search(`category=media&sort=newest&limit=3&cursor=${body.next_cursor}`)).status).toBe(200);
  });
});
