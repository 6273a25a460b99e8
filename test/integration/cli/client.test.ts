/** The typed client against the running service. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createClient, MarketApiError, verifyWebhook } from '../../../packages/client/src';
import { httpStatus } from '../../../src/api/answers/http-status';
import { openapiDocument } from '../../../src/contract/openapi';
import { operations } from '../../../src/contract/operations';
import { newSigningKey, publicKeyOf, signWebhook } from '../../../src/kit/crypto/webhook-signature';
import { pythonClientFiles, typescriptClientFiles } from '../../../tools/clients/files';
import { eventStream } from '../../support/agents/behaviours';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { CHAT_SCHEMAS } from '../../support/calls/chat';
import { ALL_SCOPES, makeKey } from '../../support/accounts/keys';
import { balance, putLive, register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const ROOT = join(__dirname, '../../..');
const PACKAGE = join(ROOT, 'packages/client');
const TEXT_SCHEMAS = {
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output_schema: { type: 'object' },
};

const market = useMarket();
let agent: TestAgent;
let chatAgent: TestAgent;
let buyer: TestUser;
let apiKey: string;
let agentId: string;
let chatId: string;

beforeAll(async () => {
  [agent, chatAgent] = [await startAgent(), await startAgent()];
  const developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  apiKey = (await makeKey(market, buyer, { scopes: ALL_SCOPES })).key;
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 10, ...TEXT_SCHEMAS }));
  chatAgent.behave(eventStream(['Hello ', 'world']));
  ({ agentId: chatId } = await putLive(market, developer.userId, chatAgent.url, {
    credits: 10,
    ...CHAT_SCHEMAS,
  }));
});
afterAll(async () => {
  await Promise.all([agent.stop(), chatAgent.stop()]);
});

const client = (options = {}) => createClient({ baseUrl: market.url, apiKey, ...options });

describe('requests', () => {
  it('invoke an agent with a generated idempotency key', async () => {
    const result = await client().invoke(agentId, { text: 'hi' }, { maxCostCredits: 10 });
    expect(result.usage.credits_charged).toBe(10);
    const sent = agent.deliveries.at(-1)?.headers['idempotency-key'];
    expect(sent).toBeDefined();
    expect(await balance(market.owner, buyer.userId, 'escrow')).toBe(0);
  });

  it('fail with code, details and trace id', async () => {
    const failure = (await client()
      .invoke(agentId, { text: 5 })
      .catch((error: unknown) => error)) as MarketApiError;
    expect(failure).toBeInstanceOf(MarketApiError);
    expect(failure).toMatchObject({ status: 422, code: 'input_schema_mismatch', retryable: false });
    expect(failure.details[0]?.msg).toMatch(/string/);
    expect(failure.traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('sign in, and carry the cookie of the session', async () => {
    const person = createClient({ baseUrl: market.url });
    await person.post('/v1/auth/login', {
      body: { email: buyer.email, password: 'correct horse battery' },
    });
    expect(person.sessionCookie()).toMatch(/^market_session=/);
    expect((await person.get('/v1/auth/me')).user_id).toBe(buyer.userId);
  });

  it('act for the organisation that the client names, unless a request names another owner', async () => {
    const person = createClient({ baseUrl: market.url });
    await person.post('/v1/auth/login', { body: { email: buyer.email, password: 'correct horse battery' } });
    const { org_id: owner } = await person.post('/v1/organisations', { body: { name: 'Example Ltd' } });
    const member = createClient({ baseUrl: market.url, sessionCookie: person.sessionCookie(), owner });
    expect((await member.get('/v1/billing/balance')).available_credits).toBe(0);
    const own = await member.get('/v1/billing/balance', { headers: { 'X-Owner': buyer.userId } });
    expect(own.available_credits).toBeGreaterThan(0);
    const stranger = createClient({
      baseUrl: market.url,
      sessionCookie: person.sessionCookie(),
      owner: `org_${'0'.repeat(32)}`,
    });
    await expect(stranger.get('/v1/billing/balance')).rejects.toMatchObject({ status: 404 });
  });

  it('yield the items of all pages', async () => {
    for (let count = 0; count < 3; count += 1) await client().invoke(agentId, { text: `${count}` });
    const ids: string[] = [];
    for await (const { invocation_id } of client().pages('/v1/invocations', {
      params: { query: { limit: 1 } },
    }))
      ids.push(invocation_id);
    expect(ids.length).toBeGreaterThanOrEqual(3);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('have an idempotency key for every operation that creates a call', () => {
    const { paths } = openapiDocument(operations, { version: '1', statusOf: httpStatus }) as {
      paths: Record<string, { post?: { parameters?: { $ref?: string; name?: string }[] } }>;
    };
    const isKey = ({ $ref, name }: { $ref?: string; name?: string }) =>
      name === 'Idempotency-Key' || /^#\/components\/parameters\/IdempotencyKey/.test($ref ?? '');
    const keyed = Object.entries(paths).flatMap(([path, { post }]) =>
      post?.parameters?.some(isKey) && !/^\/mcp(\/|$)/.test(path) ? [path] : [],
    );
    const source = readFileSync(join(PACKAGE, 'src/client.ts'), 'utf8');
    const named = [...source.matchAll(/^ {2}'(\/[^']+)',$/gm)].map(([, path]) => path);
    expect(keyed.sort()).toEqual(named.sort());
  });
});

describe('a call whose program does something else meanwhile', () => {
  it('begins, ends, and has its answer', async () => {
    const { invocations } = client();
    const call = await invocations.start(agentId, { text: 'later' }, { maxCostCredits: 10 });
    expect(call.invocation_id).toMatch(/^inv_/);
    const ended = await invocations.wait(call.invocation_id, { totalTimeoutMs: 30_000 });
    expect(ended).toMatchObject({ status: 'succeeded', output: { text: 'later' }, error: null });
    const failure = (await invocations
      .cancel(call.invocation_id)
      .catch((error: unknown) => error)) as MarketApiError;
    expect(failure).toMatchObject({ status: 409, code: 'invalid_state' });
  });

  it('is canceled, and returned at once when its key is repeated after its end', async () => {
    let release = (): void => undefined;
    agent.behave({ kind: 'waits', until: new Promise<void>((resolve) => (release = resolve)) });
    const { invocations } = client();
    const key = { idempotencyKey: 'begun-twice' };
    const { invocation_id: id, status } = await invocations.start(agentId, { text: 'twice' }, key);
    const again = await invocations.start(agentId, { text: 'twice' }, key);
    expect([status, again.invocation_id]).toEqual(['running', id]);
    expect((await invocations.cancel(id)).error?.code).toBe('canceled');
    expect((await invocations.wait(id)).usage.credits_charged).toBe(0);
    release();
    agent.behave({ kind: 'echo' });
    const paid = await client().invoke(agentId, { text: 'twice' }, key);
    expect(await invocations.start(agentId, { text: 'twice' }, key)).toMatchObject({
      invocation_id: paid.invocation_id,
      status: 'succeeded',
    });
  });
});

describe('a chat', () => {
  it('yields its events and ends with what it cost', async () => {
    const events = [];
    for await (const event of client().chat(chatId, 'Hi')) events.push(event);
    const text = events.map((event) => (event.type === 'output_chunk' ? event.chunk : '')).join('');
    expect(text).toBe('Hello world');
    expect(events.at(-1)).toMatchObject({ type: 'done', usage: { credits_charged: 10 } });
  });

  it('throws the error of a turn that fails', async () => {
    const turn = async () => {
      for await (const _ of client({ maxRetries: 0 }).chat(agentId, 'Hi'));
    };
    await expect(turn()).rejects.toMatchObject({ code: 'input_schema_mismatch', status: 422 });
  });
});

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
  const body = '{"type":"credits.loaded","timestamp":"2026-11-02T00:00:00.000Z","data":{"credits":1}}';
  const now = new Date();
  const headers = {
    'Webhook-Id': 'evt_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
  };
  const other = `whsec_${Buffer.from('another secret of thirty-two byt').toString('base64')}`;

  it('accepts what the library of Standard Webhooks signs, with either secret of a rotation', async () => {
    const verified = await verifyWebhook({ secret: [other, secret], body, headers });
    expect(verified).toMatchObject({ id: 'evt_1', body: { type: 'credits.loaded', data: { credits: 1 } } });
    await verifyWebhook({ secret, body: Buffer.from(body), headers: new Headers(headers) });
  });

  it('accepts a signature of Ed25519 with the public key of the webhook, which signs nothing itself', async () => {
    const [pair, stranger] = [newSigningKey(), newSigningKey()];
    const at = Number(headers['webhook-timestamp']);
    const both = signWebhook([secret, pair], 'evt_1', at, Buffer.from(body));
    await verifyWebhook({ secret: publicKeyOf(pair), body, headers: both });
    await verifyWebhook({ secret: [publicKeyOf(stranger), secret], body, headers: both });
    const refused = [
      { secret: publicKeyOf(stranger), body, headers: both },
      { secret: publicKeyOf(pair), body: `${body} `, headers: both },
      { secret: publicKeyOf(pair), body, headers },
      { secret: 'whpk_QQ==', body, headers: both },
    ];
    for (const options of refused) await expect(verifyWebhook(options)).rejects.toThrow(/signature|secret/);
  });

  it.each([
    ['another secret', { secret: other, body, headers }],
    ['a changed body', { secret, body: `${body} `, headers }],
    ['an old request', { secret, body, headers, nowMs: now.getTime() + 301_000 }],
    ['a missing signature', { secret, body, headers: { ...headers, 'webhook-signature': undefined } }],
    ['a signature that is no base64', { secret, body, headers: { ...headers, 'webhook-signature': 'v1,%' } }],
  ])('refuses %s', async (_name, options) => {
    await expect(verifyWebhook(options)).rejects.toThrow(/timestamp|signature/);
  });

  it.each([
    '"whsec_AAAA"',
    `"${secret}"`,
    'not base64!',
    'whsec_%%%%',
    'whsec_',
    '',
    'whsec_QQ==',
    'whsec_A',
    `${secret}\u00e9`,
  ])(
    'throws for the secret %j, whatever an attacker signs with what a lenient decoder makes of it',
    async (wrong) => {
      const known = [
        Buffer.alloc(1),
        Buffer.alloc(0),
        Buffer.from(wrong, 'base64'),
        Buffer.from(wrong.replace('whsec_', ''), 'base64'),
      ];
      for (const key of known) {
        const signature = `v1,${createHmac('sha256', key).update(`evt_1.${headers['webhook-timestamp']}.${body}`).digest('base64')}`;
        const forged = { body, headers: { ...headers, 'webhook-signature': signature } };
        await expect(verifyWebhook({ secret: wrong, ...forged })).rejects.toThrow('secret');
        await expect(verifyWebhook({ secret: [secret, wrong], ...forged })).rejects.toThrow('secret');
      }
    },
  );

  it('takes a secret that was read from a file with its line break', async () => {
    await verifyWebhook({ secret: `${secret}\n`, body, headers });
  });
});

describe('the package', () => {
  it('runs in browsers: none of its modules imports one of Node', async () => {
    const bundle = readFileSync(join(PACKAGE, 'dist/index.js'), 'utf8');
    const imports = [...bundle.matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
    expect(imports).toEqual(['openapi-fetch']);
    expect(bundle).not.toMatch(/\b(Buffer|process|require)\b[.(]/);
  });

  it('has types of the current contract, and so has the package for Python', () => {
    const files = { ...typescriptClientFiles(), ...pythonClientFiles() };
    const stale = Object.entries(files).filter(
      ([file, source]) => readFileSync(join(ROOT, file), 'utf8') !== source,
    );
    expect([Object.keys(files).length, stale.map(([file]) => file)]).toEqual([4, []]);
  });

  it('is packed with the types, though git does not track them', async () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: PACKAGE });
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const names = files.map(({ path }) => path);
    expect(names).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/api-types.d.ts']),
    );
    expect(names.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
  });

  it('is installed from the address of the marketplace, without a registry, and calls it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'market-client-'));
    const env = {
      ...process.env,
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_cache: join(folder, 'cache'),
    };
    const exec = promisify(execFile);
    try {
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const address = `${market.url}/downloads/agent-marketplace-client.tgz`;
      await exec('npm', ['install', '--no-audit', '--no-fund', address], {
        cwd: folder,
        env,
        timeout: 60_000,
      });
      const code = `import { createClient } from '@agent-marketplace/client';
        const market = createClient({ baseUrl: '${market.url}', apiKey: '${apiKey}' });
        console.log((await market.invoke('${agentId}', { text: 'hi' })).usage.credits_charged);`;
      const { stdout } = await exec(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
      expect(stdout).toBe('10\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has examples in its README that run', async () => {
    const blocks = [...readFileSync(join(PACKAGE, 'README.md'), 'utf8').matchAll(/```ts\n([\s\S]+?)```/g)];
    mkdirSync(join(ROOT, '.market'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, '.market/readme-'));
    try {
      const files = await Promise.all(
        blocks.map(async ([, code = ''], index) => {
          const { code: plain } = await transform(code, { loader: 'ts', format: 'esm' });
          writeFileSync(join(folder, `${index}.mjs`), plain);
          return `./${index}.mjs`;
        }),
      );
      writeFileSync(join(folder, 'all.mjs'), files.map((file) => `await import('${file}');`).join('\n'));
      const env = {
        ...process.env,
        MARKET_URL: market.url,
        MARKET_API_KEY: apiKey,
        AGENT: agentId,
        CHAT_AGENT: chatId,
        WEBHOOK_SECRET: 'whsec_AAAA',
      };
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'all.mjs')], { env });
      const lines = stdout.trim().split('\n');
      expect(lines[0]).toMatch(/^agt_|^undefined$/);
      expect(lines.slice(1)).toEqual([
        '404 not_found false 0 true',
        'true',
        expect.stringMatching(/ 10$/),
        'Hello world 10',
        "succeeded { text: 'hello' } 10",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
