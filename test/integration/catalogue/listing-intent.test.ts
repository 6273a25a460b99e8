import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LISTED_ENDPOINT, type ListingPage, putListing } from '../../support/catalogue/listings';
import { request } from '../../support/catalogue/publishing';
import { putLive, register, startMarket, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket({ operations: false });
let buyer: TestUser;

interface Found extends ListingPage {
  items: (ListingPage['items'][number] & { match?: { missing: string[] } })[];
  left_out?: { words: string[]; filters: string[]; alone: string[] };
  nearest?: { slug: string }[];
}
const search = (q: string, more = '') =>
  request<Found>(market, buyer, 'GET', `/v1/listings?q=${encodeURIComponent(q)}${more}`);
const found = async (q: string) =>
  (await search(q)).body.items.map(({ slug, match }) => [slug, match?.missing]);

beforeAll(async () => {
  const developer = await register(market, 'developer');
  buyer = await register(market, 'buyer');
  const put = (slug: string, display_name: string, description: string, tags: string[]) =>
    putListing(market, developer, slug, 1, { display_name, description, tags });
  await put('i-lingua', 'Lingua legal', 'Translates contracts and court papers between English and German.', ['translation', 'legal']);
  await put('i-prose', 'Prose bridge', 'Translates novels and poems into French.', ['translation', 'books']);
  await put('i-minutes', 'Minute taker', 'Summarizes recordings of meetings and lists who does what.', ['audio', 'summary']);
  await put('i-ledger', 'Ledger eye', 'Reads invoices and posts their totals to the books.', ['ocr', 'accounting']);
  await put('i-memory', 'Leak hunter', 'Finds memory errors in C++ programs.', ['c++', 'debugging']);
  await put('i-vertrag', 'Vertragswerk', 'Prüft Mietverträge und Arbeitsverträge auf unzulässige Klauseln.', ['recht']);
  await put('i-recette', 'Le cuisinier', 'Propose des recettes végétariennes avec les restes du frigo.', ['cuisine']);
  await put('i-viaje', 'Ruta', 'Planifica viajes en tren por ciudades de Europa y reserva los hoteles.', ['viajes']);
  await put('i-zh', '合同翻译', '把英文合同翻译成中文，并保留条款编号。', ['translation', 'chinese']);
  await put('i-ja', '議事録メーカー', '会議の録音を文字に起こして、要点をまとめます。', ['minutes']);
  await market.owner.query(`SELECT search_terms_count('0')`);
}); // prettier-ignore

it.each([
  ['translate a contract into german please', 'i-lingua'],
  ['I need somebody to translate a poem to french', 'i-prose'],
  ['who can summarise the recording of our meeting', 'i-minutes'],
  ['get the total of scanned invoices', 'i-ledger'],
  ['my C++ program has a memory leak', 'i-memory'],
  ['translate contrcts for a court', 'i-lingua'],
  ['Kannst du bitte meinen Mietvertrag prüfen', 'i-vertrag'],
  ['Klauselprüfung für einen Arbeitsvertrag gesucht', 'i-vertrag'],
  ['une recette avec des restes de légumes', 'i-recette'],
  ['quiero planificar un viaje en tren por Europa', 'i-viaje'],
  ['请帮我翻译一份合同', 'i-zh'],
  ['把合同的条款翻译成德文', 'i-zh'],
  ['会議の要点をまとめてほしい', 'i-ja'],
  ['録音から議事録を作成', 'i-ja'],
  ['it support for accounting books', 'i-ledger'],
])('finds the agent for %s', async (q, slug) => {
  expect((await found(q))[0]?.[0]).toBe(slug);
});

it('says which words an agent misses, puts those with all words first, and walks through both', async () => {
  const first = await search('translation contracts french', '&limit=1');
  expect(first.body.items[0]?.match?.missing).toHaveLength(1);
  const all = await found('translation summary');
  expect(all.map(([, missing]) => missing)).toEqual(expect.arrayContaining([['summary'], ['translation']]));
  const exact = await found('court papers');
  expect(exact[0]).toEqual(['i-lingua', undefined]);
  const pages: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await search('translates english', `&limit=1${cursor && `&cursor=${cursor}`}`);
    pages.push(...body.items.map(({ slug }) => slug));
    cursor = body.next_cursor;
  }
  const whole = (await found('translates english')).map(([slug]) => slug);
  expect(whole.length).toBeGreaterThan(1);
  expect(pages).toEqual(whole);
});

it('leaves out what a quoted phrase or an excluded word rules out', async () => {
  expect((await found('please translate "court papers" fast')).map(([slug]) => slug)).toEqual(['i-lingua']);
  expect((await found('please translate something -contracts')).map(([slug]) => slug)).not.toContain(
    'i-lingua',
  );
});

it('refuses an intent of 10,000 characters, and reads the first words of a long one', async () => {
  expect((await search('x'.repeat(10_000))).status).toBe(422);
  const long = `translate contracts ${Array.from({ length: 100 }, (_, at) => `w${at}x`).join(' ')}`;
  expect((await search(long)).body.items[0]?.slug).toBe('i-lingua');
});

describe('filters and orders by what calls have shown and versions declare', () => {
  beforeAll(async () => {
    const developer = await register(market, 'developer');
    const jobs = { max_seconds: 60, heartbeat_seconds: 10 };
    for (const [slug, calls, rate, p50] of [['p-one', 1, 1, 900], ['p-many', 900, 0.98, 80], ['p-fails', 50, 0.4, 20]] as const) {
      const { agentId } = await putLive(market, developer.userId, LISTED_ENDPOINT, { agentId: slug, credits: 1, ...(slug === 'p-many' && { jobs }) });
      await market.owner.query(`INSERT INTO agent_stats (agent_id, invocations_30d, buyer_days_30d, success_rate, p50_ms, due_at)
        VALUES ($1, $2, $2, $3, $4, 'infinity')`, [agentId, calls, rate, p50]);
    }
  }); // prettier-ignore

  it.each([
    ['sort=success_rate', ['p-many', 'p-one', 'p-fails']],
    ['sort=latency', ['p-fails', 'p-many', 'p-one']],
    ['min_success_rate=0.5&sort=latency', ['p-many', 'p-one']],
    ['max_p50_ms=100&sort=latency', ['p-fails', 'p-many']],
    ['jobs=true', ['p-many']],
    ['streaming=true', []],
    ['residency=ap', []],
    ['residency=global&max_p50_ms=1000&sort=latency', ['p-fails', 'p-many', 'p-one']],
    ['max_retention_days=1&max_p50_ms=1000&sort=latency', ['p-fails', 'p-many', 'p-one']],
    ['max_retention_days=0', []],
  ])('answers %s', async (query, expected) => {
    const { body } = await request<Found>(market, buyer, 'GET', `/v1/listings?${query}`);
    expect(body.items.slice(0, 3).map(({ slug }) => slug).filter((slug) => slug.startsWith('p-'))).toEqual(expected); // prettier-ignore
  });

  it.each(['min_success_rate=2', 'max_p50_ms=-1', 'streaming=yes', 'jobs=1', 'residency=moon', 'max_retention_days=x'])(
    'refuses %s', async (query) => {
      expect((await request(market, buyer, 'GET', `/v1/listings?${query}`)).status).toBe(422);
    }); // prettier-ignore
});

describe('a search that finds nothing', () => {
  const nothing = async (query: string) => {
    const { body } = await request<Found>(market, buyer, 'GET', `/v1/listings?${query}`);
    expect([body.items, body.total]).toEqual([[], 0]);
    return [body.left_out, body.nearest?.map(({ slug }) => slug)];
  };

  it.each([
    [
      'q=court+papers&residency=ap&category=media',
      { words: [], filters: ['category', 'residency'], alone: [] },
      ['i-lingua'],
    ],
    ['q=zzqqxx', { words: ['zzqqxx'], filters: [], alone: [] }, expect.any(Array)],
    ['q=zzqqxx&residency=ap', { words: ['zzqqxx'], filters: ['residency'], alone: [] }, expect.any(Array)],
    ['residency=ap', { words: [], filters: ['residency'], alone: ['residency'] }, expect.any(Array)],
    [
      'q=court+papers&residency=ap&max_price=1&protocol=http',
      { words: [], filters: ['residency'], alone: ['residency'] },
      ['i-lingua'],
    ],
    ['q=court+papers&tag=legal&tag=zzqqxx', { words: [], filters: ['tag'], alone: ['tag'] }, ['i-lingua']],
  ])('says for %s what was left out, and offers the nearest', async (query, leftOut, slugs) => {
    expect(await nothing(query)).toEqual([leftOut, slugs]);
  });
});

describe('with an embedding endpoint', () => {
  /** An OpenAI-compatible API whose vectors say which of two subjects a text is about. */
  async function startEndpoint() {
    const state = { mode: 'good' as 'good' | 'hangs' | 'fails' | 'rubbish', asked: [] as string[], key: '' };
    const server = createServer((req, res) => {
      const pieces: Buffer[] = [];
      req.on('data', (piece: Buffer) => pieces.push(piece));
      req.on('end', () => {
        const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string[] };
        state.asked.push(...input);
        state.key = req.headers.authorization ?? '';
        if (state.mode === 'hangs') return;
        const about = (text: string, words: RegExp) => (words.test(text.toLowerCase()) ? 1 : 0.05);
        const data = input.map((text, index) => ({
          object: 'embedding',
          index,
          embedding: [about(text, /poem|novel|verse|book/), about(text, /contract|court|lawsuit/)],
        }));
        if (state.mode === 'fails') res.writeHead(500).end('{"error": {"message": "down"}}');
        else
          res.end(
            JSON.stringify(
              state.mode === 'rubbish' ? { data: [{ index: 9 }] } : { object: 'list', data: data.reverse() },
            ),
          );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    return { state, url, stop: () => (server.closeAllConnections(), server.close()) };
  }

  it('orders agents that miss words by meaning too, and does without an endpoint that is lost', async () => {
    const { state, url, stop } = await startEndpoint();
    const env = { EMBEDDINGS_URL: url, EMBEDDINGS_KEY: 'embed-key', EMBEDDINGS_MODEL: 'test-model' };
    const named = await startMarket({ share: market, env });
    const firstFor = async (q: string, at = named) => {
      const path = `/v1/listings?q=${encodeURIComponent(q)}&limit=2`;
      const { status, body } = await request<Found>(at, buyer, 'GET', path);
      return [status, body.items[0]?.slug];
    };
    const { agentVectors } = named.container;
    while (((await agentVectors?.refresh()) ?? 0) > 0);
    expect(state.key).toBe('Bearer embed-key');
    expect(state.asked.find((text) => text.startsWith('Lingua legal'))).toContain('court papers');
    // Both translate; no agent has the other words.
    expect(await firstFor('translates verses zzqx')).toEqual([200, 'i-prose']);
    expect(await firstFor('translates lawsuits zzqx')).toEqual([200, 'i-lingua']);
    const [, without] = await firstFor('translates scrolls zzqx', market);
    for (const mode of ['fails', 'rubbish', 'hangs'] as const) {
      state.mode = mode;
      const from = performance.now();
      expect(await firstFor(`translates scrolls zzqx ${mode}`)).toEqual([200, without]);
      expect(performance.now() - from).toBeLessThan(2_000);
    }
    // Three requests were of no use, so the next searches do not ask.
    const before = state.asked.length;
    expect(await firstFor('translates papyri zzqx')).toEqual([200, without]);
    expect(state.asked).toHaveLength(before);
    await named.stop();
    stop();
  });

  it('embeds a text again when it changes, and leaves one that is refused for later', async () => {
    const { state, url, stop } = await startEndpoint();
    const named = await startMarket({
      share: market,
      env: { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: 'other' },
    });
    const { agentVectors } = named.container;
    const vectors = async (where: string) =>
      (
        await market.owner.query<{ n: number }>(
          `SELECT count(*)::integer AS n FROM agent_vectors WHERE ${where}`,
        )
      ).rows[0]?.n;
    // Vectors of another model are made anew.
    while (((await agentVectors?.refresh()) ?? 0) > 0);
    expect(await vectors(`model = 'other' AND due_at IS NULL`)).toBe(await vectors('true'));
    const developer = await register(market, 'developer');
    await putListing(market, developer, 'i-new', 1, {
      display_name: 'Newcomer',
      description: 'Writes verse.',
    });
    state.mode = 'fails';
    expect(await agentVectors?.refresh()).toBe(0);
    expect(await vectors('due_at > now()')).toBe(1);
    state.mode = 'good';
    await market.owner.query('UPDATE agent_vectors SET due_at = now() WHERE due_at IS NOT NULL');
    expect(await agentVectors?.refresh()).toBe(1);
    expect(await vectors('due_at IS NOT NULL')).toBe(0);
    await named.stop();
    stop();
  });
});
