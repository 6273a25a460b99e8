/** API keys as their owner sees them (contract, "Accounts, sessions, keys"; security reference, T8). */
import { createHash } from 'node:crypto';
import { Client } from 'pg';
import request from 'supertest';
import { isApiKey, newApiKey } from '../../../src/kit/crypto/api-key-format';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';
import { testRoutes } from '../../support/accounts/echo-route';
import { ALL_SCOPES, makeKey, readKey, type TestKey } from '../../support/accounts/keys';

let database: TestDatabase;
let owner: Client;
let first: TestApi;
let second: TestApi;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  const options = { database, routes: [testRoutes()] };
  [first, second] = await Promise.all([startTestApi(options), startTestApi(options)]);
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await owner.end();
  await database.drop();
});

let people = 0;

async function signUp(): Promise<{ cookie: string; userId: string }> {
  people += 1;
  const response = await request(first.url)
    .post('/v1/auth/register')
    .send({ email: `k${people}@example.com`, password: 'long enough', displayName: 'K', role: 'buyer' });
  expect(response.status).toBe(201);
  const [cookie = ''] = response.headers['set-cookie'] as unknown as string[];
  return { cookie: cookie.split(';')[0] ?? '', userId: response.body.user_id as string };
}

/** An operation that needs `agents:invoke`, asked with a key. */
const use = (key: string, at: TestApi = first) =>
  request(at.url).post('/v1/echo/thing_a').set('x-api-key', key).send({ input: {} });
const codeOf = ({ status, body }: request.Response) => [
  status,
  (body as { error?: { code: string } }).error?.code,
];

/** Runs `work` and tells the statements that the process sends meanwhile, but for its counts of requests. */
async function statementsDuring(api: TestApi, work: () => Promise<unknown>): Promise<string[]> {
  const spy = jest.spyOn(api.pool, 'query');
  try {
    await work();
    const texts = spy.mock.calls.map(([query]) =>
      String((query as unknown as { text?: string }).text ?? query),
    );
    return texts.filter((text) => !text.includes('rate_limits'));
  } finally {
    spy.mockRestore();
  }
}

describe('a new key', () => {
  it('is shown once, with a valid checksum, and later by its last characters', async () => {
    const person = await signUp();
    const made = await makeKey(first, person, {
      name: 'build server',
      scopes: ['agents:invoke', 'billing:read'],
      credit_cap: 500,
      expires_at: '2099-01-01',
    });
    expect(made.key).toMatch(/^amk_live_[0-9A-Za-z]{36}$/);
    expect(isApiKey(made.key)).toBe(true);
    const { key, ...rest } = made;
    expect(rest).toEqual({
      key_id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      name: 'build server',
      key_hint: key.slice(-4),
      scopes: ['agents:invoke', 'billing:read'],
      credit_cap: 500,
      credit_cap_window: 'lifetime',
      used_credits: 0,
      window_ends_at: null,
      time_zone: 'UTC',
      call_cap: null,
      min_trust_score: null,
      agents: null,
      spent_credits: 0,
      expires_at: '2099-01-01T00:00:00.000Z',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      last_used_at: null,
      parent_key_id: null,
    });
    expect(await readKey(first, person, made.key_id)).toEqual(rest);
  });

  it('is in the database as its SHA-256 only', async () => {
    const { key } = await makeKey(first, await signUp());
    const { rows } = await owner.query<{ table_name: string }>(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    const secret = key.slice('amk_live_'.length);
    let seen = 0;
    for (const { table_name } of rows) {
      const dump = await owner.query<{ row: string }>(`SELECT t::text AS row FROM "${table_name}" t`);
      for (const { row } of dump.rows) {
        expect(row).not.toContain(secret);
        if (row.includes(createHash('sha256').update(key).digest('hex'))) seen += 1;
      }
    }
    expect(seen).toBe(1);
  });

  const mistakes: [string, object, (string | number)[]][] = [
    ['no name', { scopes: ['agents:read'] }, ['body', 'name']],
    ['a name of spaces', { name: '  ', scopes: ['agents:read'] }, ['body', 'name']],
    ['no scopes', { name: 'x', scopes: [] }, ['body', 'scopes']],
    ['a scope that does not exist', { name: 'x', scopes: ['agents:read', 'all'] }, ['body', 'scopes', 1]],
    ['a scope twice', { name: 'x', scopes: ['agents:read', 'agents:read'] }, ['body', 'scopes']],
    ['a negative cap', { name: 'x', scopes: ['agents:read'], credit_cap: -1 }, ['body', 'credit_cap']],
    ['a cap of parts', { name: 'x', scopes: ['agents:read'], credit_cap: 0.5 }, ['body', 'credit_cap']],
    [
      'an end that is over',
      { name: 'x', scopes: ['agents:read'], expires_at: '2020-01-01' },
      ['body', 'expires_at'],
    ],
    [
      'an end that is no time',
      { name: 'x', scopes: ['agents:read'], expires_at: '2099-02-30' },
      ['body', 'expires_at'],
    ],
    ['a key of one’s own', { name: 'x', scopes: ['agents:read'], key: newApiKey() }, ['body', 'key']],
  ];

  it.each(mistakes)('is refused with %s', async (_what, body, loc) => {
    const { cookie } = await signUp();
    const response = await request(first.url).post('/v1/keys').set('cookie', cookie).send(body);
    expect(codeOf(response)).toEqual([422, 'validation_failed']);
    const { detail } = response.body as { detail: { loc: unknown }[] };
    expect(detail.map((problem) => problem.loc)).toContainEqual(loc);
  });

  it('is refused when the account has 100, also when they are asked for at once', async () => {
    const person = await signUp();
    // On a busy machine, some of the requests of the account wait too long for the database, and are answered with a
    // retryable error.
    const ask = async (at: TestApi): Promise<request.Response> => {
      const wish = { name: 'x', scopes: ['agents:read'] };
      const answer = await request(at.url).post('/v1/keys').set('cookie', person.cookie).send(wish);
      return answer.status === 503 ? ask(at) : answer;
    };
    const answers = await Promise.all(Array.from({ length: 104 }, (_, n) => ask(n % 2 ? first : second)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(codeOf(answers.find(({ status }) => status !== 201) as request.Response)).toEqual([
      409,
      'invalid_state',
    ]);
    const one = answers.find(({ status }) => status === 201)?.body as TestKey;
    await request(first.url).delete(`/v1/keys/${one.key_id}`).set('cookie', person.cookie).expect(204);
    expect((await ask(first)).status).toBe(201);
  });
});

interface KeyPage {
  items: TestKey[];
  next_cursor: string | null;
  total: number;
}

describe('the list of keys', () => {
  it('comes in pages, newest first, and is its owner’s alone', async () => {
    const [person, other] = [await signUp(), await signUp()];
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await makeKey(first, person, { name });
    await makeKey(first, other, { name: 'foreign' });
    const read = async (query: string): Promise<KeyPage> =>
      (await request(first.url).get(`/v1/keys?limit=2${query}`).set('cookie', person.cookie)).body as KeyPage;
    const seen: string[] = [];
    let page = await read('');
    for (;;) {
      expect(page.total).toBe(5);
      seen.push(...page.items.map(({ name }) => name));
      if (page.next_cursor === null) break;
      page = await read(`&cursor=${page.next_cursor}`);
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
    const foreign = (await read('')).next_cursor;
    const misused = await request(first.url).get(`/v1/keys?cursor=${foreign}`).set('cookie', other.cookie);
    expect(codeOf(misused)).toEqual([422, 'validation_failed']);
  });

  it('never shows keys of others, nor lets them be rotated or deleted', async () => {
    const [person, other] = [await signUp(), await signUp()];
    const { key_id: keyId, key } = await makeKey(first, person);
    for (const call of [
      request(first.url).delete(`/v1/keys/${keyId}`),
      request(first.url).post(`/v1/keys/${keyId}/rotate`),
    ])
      expect(codeOf(await call.set('cookie', other.cookie))).toEqual([404, 'not_found']);
    await use(key).expect(200);
  });
});

describe('an invalid key', () => {
  it('costs no database read when its checksum is wrong, and one when it is right', async () => {
    const { key } = await makeKey(first, await signUp());
    const last = key.endsWith('0') ? '1' : '0';
    // The uses of other keys are written every five seconds.
    await first.keyUses.flush();
    const wrong = ['', 'x', key.slice(0, -1), key.slice(0, -1) + last, `${key}${last}`, key.toUpperCase()];
    const statements = await statementsDuring(first, async () => {
      for (const text of wrong) expect(codeOf(await use(text))).toEqual([401, 'not_authenticated']);
    });
    expect(statements).toEqual([]);
    const unknown = await statementsDuring(first, async () => {
      expect(codeOf(await use(newApiKey()))).toEqual([401, 'not_authenticated']);
    });
    expect(unknown).toHaveLength(1);
    expect(unknown[0]).toContain('api_key_secrets');
    const right = await statementsDuring(first, () => use(key).expect(200));
    // The uses of keys are written later, at any moment: the test of `last_used_at` counts those.
    expect(right.filter((text) => !text.includes('UPDATE api_keys'))).toHaveLength(1);
  });

  it('is refused whatever session comes with it', async () => {
    const { cookie } = await signUp();
    expect(codeOf(await use(newApiKey()).set('cookie', cookie))).toEqual([401, 'not_authenticated']);
  });
});

describe('a key', () => {
  it('acts for its owner within its scopes', async () => {
    const person = await signUp();
    const reader = await makeKey(first, person, {
      scopes: ALL_SCOPES.filter((scope) => scope !== 'agents:invoke'),
    });
    const refused = await use(reader.key);
    expect(codeOf(refused)).toEqual([403, 'insufficient_scope']);
    expect(JSON.stringify(refused.body)).toContain('lacks the scope agents:invoke');
    await request(first.url).get('/openapi.json').set('x-api-key', reader.key).expect(200);
  });

  it('is refused for operations that need a session', async () => {
    const { key, key_id: keyId } = await makeKey(first, await signUp(), { scopes: ALL_SCOPES });
    const own = `/v1/keys/${keyId}`;
    for (const [method, path] of [
      ['get', '/v1/auth/me'],
      ['patch', own],
      ['post', `${own}/rotate`],
    ] as const) {
      const response = await request(first.url)[method](path).set('x-api-key', key).send({});
      expect(codeOf(response)).toEqual([401, 'not_authenticated']);
    }
  });

  it('is invalid in every process when its deletion is answered', async () => {
    const person = await signUp();
    for (let n = 0; n < 20; n += 1) {
      const { key, key_id: keyId } = await makeKey(first, person);
      await use(key, second).expect(200);
      await request(first.url).delete(`/v1/keys/${keyId}`).set('cookie', person.cookie).expect(204);
      expect(codeOf(await use(key, second))).toEqual([401, 'not_authenticated']);
      expect(codeOf(await use(key, first))).toEqual([401, 'not_authenticated']);
      const again = request(second.url).delete(`/v1/keys/${keyId}`).set('cookie', person.cookie);
      expect(codeOf(await again)).toEqual([404, 'not_found']);
    }
  });

  it('ends when it expires', async () => {
    const person = await signUp();
    const { key, key_id: keyId } = await makeKey(first, person, { expires_at: '2099-01-01' });
    await use(key).expect(200);
    await owner.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE key_id = $1`, [
      keyId,
    ]);
    expect(codeOf(await use(key))).toEqual([401, 'not_authenticated']);
    const rotation = request(first.url).post(`/v1/keys/${keyId}/rotate`).set('cookie', person.cookie);
    expect(codeOf(await rotation)).toEqual([409, 'invalid_state']);
    expect(await readKey(first, person, keyId)).toBeDefined();
  });

  it('shows when it was last used, without a write for each request', async () => {
    const person = await signUp();
    const { key, key_id: keyId } = await makeKey(first, person);
    await first.keyUses.flush();
    const statements = await statementsDuring(first, async () => {
      await use(key).expect(200);
      await first.keyUses.flush();
      for (let n = 0; n < 60; n += 1) await use(key).expect(200);
      await first.keyUses.flush();
    });
    expect(statements.filter((text) => text.includes('UPDATE api_keys'))).toHaveLength(1);
    const usedAt = new Date((await readKey(first, person, keyId))?.last_used_at ?? 0).getTime();
    expect(Math.abs(Date.now() - usedAt)).toBeLessThan(30_000);
  });
});
