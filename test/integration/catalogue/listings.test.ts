import { newId } from '../../../src/kit/ids/ids';
import { searchListings as searchStored } from '../../../src/stores/catalogue/search/listing-search';
import type { Db } from '../../../src/stores/db';
import { testManifest } from '../../support/agents/manifest';
import {
  type Listing,
  LISTED_ENDPOINT,
  type ListingFields,
  putListing,
  searchListings,
} from '../../support/catalogue/listings';
import { register, startMarket, type TestMarket, type TestUser } from '../../support/market';
import { places, request } from '../../support/catalogue/publishing';

let market: TestMarket;
let developer: TestUser;
let buyer: TestUser;

beforeAll(async () => {
  market = await startMarket({ operations: false, env: { PUBLIC_READS: 'true' } });
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer');
});
afterAll(() => market.stop());

const BEST = { sort: 'relevance', limit: 21 } as const;
const list = (slug: string, credits: number, fields?: ListingFields) =>
  putListing(market, developer, slug, credits, fields);
const search = (query: string) => searchListings(market, buyer, query);
const slugsOf = async (query: string) => (await search(query)).body.items.map(({ slug }) => slug);

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

  describe('in any language', () => {
    beforeAll(async () => {
      const about = (display_name: string, description: string) => ({ display_name, description });
      await list('w-it', 1, about('IT helper', 'Answers questions of staff.'));
      await list('w-which', 1, about('Chooser', 'Says which of two texts is better.'));
      await list('w-chinese', 1, about('翻译助手', '把中文翻译成英文。'));
      await list('w-eslint', 1, about('ESLint runner', 'Checks the style of sources.'));
      await list('w-cpp', 1, about('Reviewer', 'Reads C++ and C#, and nothing in Cobol.'));
      await list('w-percent', 1, about('Discounts', 'Takes 100% of_the price \\ off.'));
    });
    afterAll(() => market.owner.query(`UPDATE agents SET listed = false WHERE slug LIKE 'w-%'`));

    it.each([
      ['it', ['w-it']],
      ['IT', ['w-it']],
      ['it helper', ['w-it', 'f-tools']],
      ['which', ['w-which']],
      ['which or it', ['w-it', 'w-which']],
      ['翻译', ['w-chinese']],
      ['中文', ['w-chinese']],
      ['助', ['w-chinese']],
      ['lint', ['w-eslint']],
      ['help', ['w-it', 'f-tools']],
      ['C++', ['w-cpp']],
      ['c#', ['w-cpp']],
      ['Ｃ＋＋', ['w-cpp']],
      ['c++ -cobol', []],
      ['-cobol which', ['w-which']],
      ['100%', ['w-percent']],
      ['of_the', ['w-percent']],
      ['it lint', ['w-eslint']],
      ['w-eslint', ['w-eslint']],
      ['agt_w_eslint_v1', ['w-eslint']],
      ['AGT_W_ESLINT_V1', ['w-eslint']],
      ['agt_w_esl', ['w-eslint']],
      ['agt_w_eslint_v2', ['w-eslint']],
    ])('finds %s', async (q, expected) => {
      const { body } = await search(`q=${encodeURIComponent(q)}`);
      expect(body.items.map(({ slug }) => slug)).toEqual(expected);
      expect(body.total).toBe(expected.length);
    });

    it('is answered by the indexes of the three columns', async () => {
      await market.owner.query('BEGIN; SET LOCAL enable_seqscan = off');
      const { rows } = await market.owner.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT FROM agent_versions v WHERE v.search @@ websearch_to_tsquery('english', 'lint')
           OR v.search_words @@ websearch_to_tsquery('simple', 'lint') OR v.search_grams @> ARRAY['li', 'in', 'nt']`,
      );
      await market.owner.query('ROLLBACK');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      for (const index of ['search', 'search_words', 'search_grams']) expect(plan).toContain(`Bitmap Index Scan on agent_versions_${index}`);
    }); // prettier-ignore
  });

  describe('by the words of people who misspell, and by developers', () => {
    let seller: TestUser;
    beforeAll(async () => {
      seller = await register(market, 'developer');
      await market.owner.query(
        `UPDATE users SET display_name = 'Ängström Laboratories', developer_id = 'dev_angstrom-labs' WHERE user_id = $1`,
        [seller.userId],
      );
      const put = (slug: string, display_name: string, description: string) =>
        putListing(market, seller, slug, 1, { display_name, description });
      await put('n-markdown', 'Markdown cleaner', 'Straightens headings.');
      await put('n-arabic', 'التحليل المالي', 'يقرأ الجداول.');
      await put('n-vita', 'Résumé reader', 'Kürzt Lebensläufe; understands Markdown tables.');
      await put('n-russian', 'Переводчик', 'Переводит договоры.');
    });
    afterAll(() => market.owner.query(`UPDATE agents SET listed = false WHERE slug LIKE 'n-%'`));

    it.each([
      ['markdown', ['n-markdown', 'n-vita'], undefined],
      ['markdwon', ['n-markdown', 'n-vita'], true],
      ['Makrdown', ['n-markdown', 'n-vita'], true],
      ['markdow', ['n-markdown', 'n-vita'], undefined],
      ['markdownn cleaner', ['n-markdown'], true],
      ['markdwon claener', ['n-markdown'], true],
      ['mrkdwn', [], undefined],
      ['"markdwon"', [], undefined],
      ['تحليل', ['n-arabic'], undefined],
      ['التحلبل', ['n-arabic'], true],
      ['التَّحْلِيل', ['n-arabic'], true],
      ['resume', ['n-vita'], true],
      ['перевдочик', ['n-russian'], true],
      ['markdwon -headings', ['n-vita'], true],
      ['Ängström', ['n-vita', 'n-russian', 'n-markdown', 'n-arabic'], undefined],
      ['laboratories', ['n-vita', 'n-russian', 'n-markdown', 'n-arabic'], undefined],
      ['dev_angstrom-labs', ['n-vita', 'n-russian', 'n-markdown', 'n-arabic'], undefined],
      ['angstrom markdown', ['n-vita', 'n-markdown'], undefined],
      ['labortories', ['n-vita', 'n-russian', 'n-markdown', 'n-arabic'], true],
      ['laboratories claener', ['n-markdown'], true],
    ])('finds %s', async (q, expected, near) => {
      const { body } = await search(`q=${encodeURIComponent(q)}`);
      expect(body.items.map(({ slug }) => slug)).toEqual(expected);
      expect([body.total, (body as { near?: boolean }).near]).toEqual([expected.length, near]);
    });

    it('walks through what was found nearly like through every list', async () => {
      const first = await search('q=markdwon&limit=1');
      const second = await search(`q=markdwon&limit=1&cursor=${first.body.next_cursor}`);
      expect([...first.body.items, ...second.body.items].map(({ slug }) => slug)).toEqual([
        'n-markdown',
        'n-vita',
      ]);
      expect(second.body).toMatchObject({ total: 2, next_cursor: null, near: true });
    });

    it('never shows the address of a developer, nor finds by it', async () => {
      const { body } = await search(`q=${encodeURIComponent(seller.email)}`);
      expect(body.items).toEqual([]);
    });

    it('lists the agents of one developer, who has a public page', async () => {
      expect((await slugsOf('developer_id=dev_angstrom-labs&sort=newest')).length).toBe(4);
      expect(await slugsOf('developer_id=dev_angstrom-labs&q=reader')).toEqual(['n-vita']);
      expect(await slugsOf('developer_id=dev_no-one')).toEqual([]);
      const page = await request(market, { cookie: '' }, 'GET', '/v1/developers/dev_angstrom-labs');
      expect(page.body).toEqual({
        developer_id: 'dev_angstrom-labs',
        display_name: 'Ängström Laboratories',
        since: expect.stringMatching(/^20/) as unknown,
        listed_agents: 4,
        disputes: { answered: 0, unanswered: 0 },
      });
      const idle = await register(market, 'developer');
      const { rows } = await market.owner.query<{ developer_id: string }>(
        'SELECT developer_id FROM users WHERE user_id = $1',
        [idle.userId],
      );
      for (const id of [rows[0]?.developer_id, 'dev_no-one'])
        expect((await request(market, buyer, 'GET', `/v1/developers/${id}`)).status).toBe(404);
      expect((await request(market, buyer, 'GET', '/v1/developers/usr_1')).status).toBe(404);
    });

    it('reads misspelt words and developers by indexes', async () => {
      await market.owner.query('BEGIN; SET LOCAL enable_seqscan = off');
      const { rows } = await market.owner.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT FROM search_vocabulary w, search_vocabulary p, users u
         WHERE near_words(w.word) && near_words('markdwon') AND word_grams(p.word) @> word_grams('clean')
           AND u.developer_id IS NOT NULL AND (text_grams(developer_text(u.display_name, u.developer_id)) @> text_grams('labs')
             OR near_words(developer_text(u.display_name, u.developer_id)) && near_words('labs'))`,
      );
      await market.owner.query('ROLLBACK');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      for (const index of [
        'search_vocabulary_near',
        'search_vocabulary_grams',
        'users_developers',
        'users_developers_near',
      ])
        expect(plan).toContain(`Bitmap Index Scan on ${index}`);
    });

    it('keeps the words of agents, until none has them', async () => {
      await market.owner.query(`INSERT INTO search_vocabulary (word, field) VALUES ('zzunused', 'd')`);
      await market.owner.query(`SELECT search_terms_count('0')`);
      const { rows } = await market.owner.query<{ word: string }>(
        `SELECT word FROM search_vocabulary WHERE word IN ('markdown', 'zzunused') AND field = 'd'`,
      );
      expect(rows).toEqual([{ word: 'markdown' }]);
    });

    it('compares no long text with misspelt words', async () => {
      const plans: string[] = [];
      const explain = async (query: string | { text: string; values: unknown[] }, given?: unknown[]) => {
        const [text, values] = typeof query === 'string' ? [query, given] : [query.text, query.values];
        const { rows } = await market.owner.query<Record<string, string>>(`EXPLAIN ${text}`, values);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return { rows: [] };
      };
      await searchStored({ query: explain } as unknown as Db, { q: 'labortories claener' }, BEST);
      expect(plans[1]).not.toMatch(/near_words\((\w+\.)?search_text\)/);
    });
  });

  describe('in the order of the best match', () => {
    const stats = (agentId: string, calls: number, rate: number | null) =>
      market.owner.query(
        `INSERT INTO agent_stats (agent_id, invocations_30d, buyer_days_30d, success_rate, due_at) VALUES ($1, $2, $2, $3, 'infinity')`,
        [agentId, calls, rate],
      );
    beforeAll(async () => {
      const put = (slug: string, fields: ListingFields) =>
        list(slug, 1, { display_name: 'Zebra counter', description: '', category: 'media', ...fields });
      await stats(await put('o-fails', { trust_score: 88, badge: 'standard' }), 5, 0.2);
      await stats(await put('o-proved', { trust_score: 53 }), 1_002, 0.915);
      await put('o-new', { trust_score: 53 });
      await stats(await put('o-once', { trust_score: 53 }), 1, 0);
    });
    afterAll(() => market.owner.query(`UPDATE agents SET listed = false WHERE slug LIKE 'o-%'`));

    it.each(['category=media', 'q=zebra', 'q=zebrra', 'q=zebra&category=media&sort=relevance'])(
      'puts what has proved itself before what is new, and failures last: %s',
      async (query) => {
        expect(await slugsOf(query)).toEqual(['o-proved', 'o-new', 'o-once', 'o-fails']);
      },
    );

    it('keeps the order of the score for those who ask for it', async () => {
      expect((await slugsOf('category=media&sort=trust_score'))[0]).toBe('o-fails');
    });
  });

  it.each([
    ['developer_id=ada', 'developer_id'],
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

  it('names every invalid parameter in one answer', async () => {
    const reply = await search('limit=x&cursor=y&sort=z&max_price=-1&more=1');
    expect(reply.status).toBe(422);
    const names = places(reply).map((place) => place.split('.')[0]);
    expect(names.sort()).toEqual(['cursor', 'limit', 'max_price', 'more', 'sort']);
  });

  it('sorts by the calls of the last 30 days, and shows how they went', async () => {
    const invoice = 'agt_f_invoice_v1';
    const others = await Promise.all(Array.from({ length: 9 }, () => register(market, 'buyer')));
    const call = (status: string, durationMs: number, ageDays: number, who = buyer) =>
      market.owner.query(
        `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
           price_units, input_sha256, owner, trace_id, duration_ms, charged_units, invoked_at, settled_at)
         SELECT $1, $2, developer_user_id, agent_id, serving_version_id, '1.0.0', 'invoke', $3, 100, 'x', 'test', 'test', $4, 100,
           now() - $6 * interval '1 day', now() FROM agents WHERE agent_id = $5`,
        [idOfAge(ageDays), who.userId, status, durationMs, invoice, ageDays],
      );
    for (const durationMs of [10, 20, 30]) await call('succeeded', durationMs, 1);
    await call('failed', 999, 2);
    await market.owner.query('SELECT usage_recount()');
    await market.container.agentFigures.refresh();
    const few = await request<Listing>(market, buyer, 'GET', `/v1/listings/${invoice}`);
    expect(few.body.stats).toMatchObject({ invocations_30d: 4, few_calls: true, success_rate: null });
    for (const [n, other] of others.entries()) await call('succeeded', 11 + n, 1, other);
    await call('succeeded', 5_000, 31);
    await market.owner.query('SELECT usage_recount()');
    await market.container.agentFigures.refresh();
    const [first] = (await search('sort=popular')).body.items;
    expect(first).toMatchObject({
      agent_id: invoice,
      stats: { invocations_30d: 13, buyers_30d: 10, few_calls: false, success_rate: 0.9091, p50_ms: 14, p95_ms: 19 },
    }); // prettier-ignore
    const other = await request<Listing>(market, buyer, 'GET', '/v1/listings/agt_f_tools_v1');
    const jobs = { count: 0, p50_ms: null, p95_ms: null };
    const none = { success_rate: null, p50_ms: null, p95_ms: null, jobs };
    expect(other.body.stats).toEqual({ invocations_30d: 0, buyers_30d: 0, few_calls: true, ...none });
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
    const manifest = testManifest(LISTED_ENDPOINT);
    expect(reply).toMatchObject({
      status: 200,
      body: {
        agent_id: 'agt_d_one_v1',
        version: '1.0.0',
        protocol: 'http',
        capabilities: { streaming: false, jobs: null },
        pricing: { model: 'per_call', credits_per_call: 3 },
        max_cost_usd: 0.03,
        price_examples: [
          { calls: 1, credits: 3, usd: 0.03, capped: false },
          { calls: 100, credits: 300, usd: 3, capped: false },
          { calls: 1_000, credits: 3_000, usd: 30, capped: false },
        ],
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
  ])('is 404 for buyers if it is missing or hidden: %s', async (path) => {
    expect((await request(market, buyer, 'GET', `/v1/listings/${path}`)).status).toBe(404);
  });

  it('names a slug that no agent has', async () => {
    const { body } = await request(market, buyer, 'GET', '/v1/listings/slug/no-such');
    expect(body).toMatchObject({ error: { message: 'No agent that you may see has the slug no-such.' } });
  });

  it.each([
    ['agt_f_retired_v1', 409],
    ['slug/f-suspended', 409],
    ['agt_no_such_v1', 404],
  ])('is 409 for its owner if it is hidden, and 404 if it is missing: %s', async (path, status) => {
    expect((await request(market, developer, 'GET', `/v1/listings/${path}`)).status).toBe(status);
  });

  it('can be read by id while it is out of search', async () => {
    expect((await request(market, buyer, 'GET', '/v1/listings/agt_f_hidden_v1')).status).toBe(200);
  });

  it('shows visitors the same as buyers while PUBLIC_READS is on, and never an endpoint', async () => {
    const visitor = { cookie: '' };
    const found = await request<{ items: { agent_id: string }[] }>(market, visitor, 'GET', '/v1/listings');
    expect(found.status).toBe(200);
    expect(found.body).toEqual((await request(market, buyer, 'GET', '/v1/listings')).body);
    const one = await request(market, visitor, 'GET', `/v1/listings/${found.body.items[0]?.agent_id}`);
    expect(one.status).toBe(200);
    expect(JSON.stringify([found.body, one.body])).not.toContain('endpoint');
    expect((await request(market, visitor, 'GET', '/v1/listings/agt_f_suspended_v1')).status).toBe(404);
  });
});

describe('favourites', () => {
  type Favourites = { items: { agent_id: string; listing: Listing | null }[]; next_cursor: string | null };
  const favour = (who: TestUser, agentId: string, method: 'PUT' | 'DELETE' = 'PUT') =>
    fetch(`${market.url}/v1/favourites/${agentId}`, { method, headers: { cookie: who.cookie } });
  const favouritesOf = (who: TestUser, query = '') =>
    request<Favourites>(market, who, 'GET', `/v1/favourites${query}`);

  it('are listed newest first, page by page, for their account alone', async () => {
    const person = await register(market, 'buyer');
    for (const agentId of ['agt_f_tools_v1', 'agt_f_invoice_v1', 'agt_f_tools_v1'])
      expect((await favour(person, agentId)).status).toBe(204);
    const first = await favouritesOf(person, '?limit=1');
    expect(first.body).toMatchObject({
      items: [{ agent_id: 'agt_f_invoice_v1', listing: { agent_id: 'agt_f_invoice_v1' } }],
      total: 2,
    });
    const second = await favouritesOf(person, `?limit=1&cursor=${first.body.next_cursor}`);
    expect(second.body).toMatchObject({ items: [{ agent_id: 'agt_f_tools_v1' }], next_cursor: null });
    expect((await favouritesOf(buyer)).body.items).toEqual([]);
    for (let times = 0; times < 2; times++)
      expect((await favour(person, 'agt_f_tools_v1', 'DELETE')).status).toBe(204);
    expect((await favouritesOf(person)).body.items).toHaveLength(1);
  });

  it('stay without their listing while the agent cannot be called, which cannot be added', async () => {
    const person = await register(market, 'buyer');
    const agentId = await list('f-gone', 1);
    await favour(person, agentId);
    await market.owner.query(`UPDATE agents SET status = 'suspended' WHERE agent_id = $1`, [agentId]);
    expect((await favouritesOf(person)).body.items).toMatchObject([{ agent_id: agentId, listing: null }]);
    expect((await favour(person, 'agt_f_suspended_v1')).status).toBe(404);
    expect((await favour(developer, 'agt_f_suspended_v1')).status).toBe(409);
  });

  it('are at most a hundred of an account, also when they are added at the same time', async () => {
    const person = await register(market, 'buyer');
    const others = await Promise.all(Array.from({ length: 3 }, (_, at) => list(`f-most-${at}`, 1)));
    await market.owner.query(
      `INSERT INTO favourites (user_id, agent_id) SELECT $1, agent_id FROM agents WHERE agent_id <> ALL ($2) LIMIT 99`,
      [person.userId, others],
    );
    const { rows } = await market.owner.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM favourites WHERE user_id = $1',
      [person.userId],
    );
    for (let made = rows[0]?.n ?? 0; made < 99; made++) await favour(person, await list(`f-more-${made}`, 1));
    const added = await Promise.all(others.map((agentId) => favour(person, agentId)));
    expect(added.map(({ status }) => status).sort()).toEqual([204, 409, 409]);
    const again = await Promise.all(others.map((agentId) => favour(person, agentId)));
    expect(again.map(({ status }) => status)).toEqual(added.map(({ status }) => status));
  });
});
