import { execFile } from 'node:child_process';
import { createHash, createPublicKey, verify as verifyBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet, type JWK } from 'jose';
import { canonicalJson } from '../../../src/kit/json/canonical-json';
import type { Evidence } from '../../../src/domain/evidence/evidence';
import { createRequestKeys } from '../../../src/services/evidence/request-keys';
import { createSigningKeys } from '../../../src/services/evidence/signing-keys';
import { createTestDatabase } from '../../support/stack/database';
import { operatorCommand } from '../../support/cli/operator-command';
import { startAgent } from '../../support/agents/test-agent';
import { invoke, putLive, register, type TestUser } from '../../support/market';
import { verifyRequest } from '../../support/verification/message-signatures';
import { testPool } from '../../support/stack/pool';
import { useAgent, useMarket } from '../../support/use-market';

const run = promisify(execFile);
const market = useMarket();
let developer: TestUser;
let buyer: TestUser;
const agent = useAgent();

beforeAll(async () => {
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
});

interface Call {
  invocation_id: string;
  status: string;
  evidence: Evidence | null;
}

async function get<T>(
  path: string,
  cookie = buyer.cookie,
): Promise<{ status: number; headers: Headers; body: T }> {
  const response = await fetch(`${market.url}${path}`, { headers: { cookie } });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

async function jwks(): Promise<JSONWebKeySet> {
  return (await get<JSONWebKeySet>('/.well-known/jwks.json', '')).body;
}

/** Makes a call and reads it back. */
async function call(
  agentId: string,
  body: Record<string, unknown> = { input: { text: 'hello', n: 3 } },
): Promise<Call> {
  const reply = await invoke(market, buyer, agentId, body);
  return (await get<Call>(`/v1/invocations/${reply.body.invocation_id}`)).body;
}

function evidenceOf({ evidence }: Call): Evidence {
  if (!evidence) throw new Error('no evidence');
  return evidence;
}

/** A third party verifies with jose: the signature is valid, and its payload is the rest of the evidence. */
async function verifies({ signature, ...terms }: Evidence, keys: JSONWebKeySet): Promise<boolean> {
  try {
    const { payload } = await compactVerify(signature, createLocalJWKSet(keys));
    return new TextDecoder().decode(payload) === canonicalJson(terms);
  } catch {
    return false;
  }
}

const sha256 = (value: unknown) => createHash('sha256').update(canonicalJson(value)).digest('hex');

async function transactions(invocationId: string): Promise<{ transaction_id: string; kind: string }[]> {
  const { rows } = await market.owner.query<{ transaction_id: string; kind: string }>(
    'SELECT transaction_id, kind FROM transactions WHERE invocation_id = $1 ORDER BY transaction_id',
    [invocationId],
  );
  return rows;
}

describe('the evidence of a call', () => {
  it('states what was offered, allowed, sent, answered and charged, and verifies with jose', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
    const input = { text: 'héllo\u2028', n: 3 };
    const made = await call(agentId, { input, max_cost_credits: 25 });
    const ledger = await transactions(made.invocation_id);
    const { rows } = await market.owner.query<{ manifest: string }>(
      'SELECT manifest FROM agent_versions WHERE agent_id = $1',
      [agentId],
    );
    expect(made.evidence).toEqual({
      offer: {
        version: '1.0.0',
        price: expect.objectContaining({ model: 'per_call', credits_per_call: 10 }) as unknown,
        manifest_sha256: sha256(JSON.parse(rows[0]?.manifest ?? '')),
      },
      authorisation: { max_cost_credits: 25 },
      receipt: {
        input_sha256: sha256(input),
        output_sha256: sha256(input),
        schema_valid: true,
        credits_charged: 10,
        truncated_by: null,
        ledger: ledger.map((row) => row.transaction_id),
      },
      signature: expect.any(String) as unknown,
    });
    expect(ledger.map((row) => row.kind)).toEqual(['invocation_hold', 'invocation_charge']);
    const evidence = evidenceOf(made);
    expect(await verifies(evidence, await jwks())).toBe(true);
    const { protectedHeader } = await compactVerify(evidence.signature, createLocalJWKSet(await jwks()));
    expect(protectedHeader).toMatchObject({ alg: 'ES256', invocation_id: made.invocation_id });
  });

  it.each([
    ['an error', { kind: 'status', status: 500 } as const, null],
    ['an answer outside its schema', { kind: 'wrong_shape' } as const, false],
  ])('of a call that failed with %s names hold and refund', async (_name, behaviour, schemaValid) => {
    const failing = await startAgent({ behaviour });
    const { agentId } = await putLive(market, developer.userId, failing.url);
    const made = await call(agentId);
    expect(made.status).toBe('failed');
    const { receipt, authorisation } = evidenceOf(made);
    const ledger = await transactions(made.invocation_id);
    expect(ledger.map((row) => row.kind)).toEqual(['invocation_hold', 'invocation_refund']);
    expect(receipt).toMatchObject({
      output_sha256: null,
      schema_valid: schemaValid,
      ledger: ledger.map((row) => row.transaction_id),
    });
    expect(authorisation).toEqual({ max_cost_credits: null });
    expect(await verifies(evidenceOf(made), await jwks())).toBe(true);
    await failing.stop();
  });

  it('of a free call has no transactions', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url, { freeTierCalls: 5 });
    const evidence = evidenceOf(await call(agentId));
    expect(evidence.receipt).toMatchObject({ schema_valid: true, ledger: [] });
    expect(await verifies(evidence, await jwks())).toBe(true);
  });

  it('does not verify when one byte of any field is changed', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const evidence = evidenceOf(await call(agentId, { input: { text: 'x' }, max_cost_credits: 10 }));
    const keys = await jwks();
    const leaves = leavesOf(evidence);
    expect(leaves.length).toBeGreaterThan(10);
    for (const path of leaves) {
      const forged = structuredClone(evidence);
      change(forged, path);
      expect({ path, verified: await verifies(forged, keys) }).toEqual({ path, verified: false });
    }
    expect(await verifies(evidence, keys)).toBe(true);
  });

  it('is the same in every read, in parallel reads and in the list', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const reply = await invoke(market, buyer, agentId, { input: { text: 'once' } });
    const id = reply.body.invocation_id ?? '';
    const readings = await Promise.all(Array.from({ length: 20 }, () => get<Call>(`/v1/invocations/${id}`)));
    expect(new Set(readings.map(({ body }) => JSON.stringify(body.evidence))).size).toBe(1);
    const list = await get<{ items: Call[] }>(`/v1/invocations?agent_id=${agentId}`);
    expect(list.body.items[0]?.evidence).toEqual(readings[0]?.body.evidence);
  });

  it('is null while the call runs, and for the buyer alone', async () => {
    const slow = await startAgent({ behaviour: { kind: 'slow', ms: 800 } });
    const { agentId } = await putLive(market, developer.userId, slow.url);
    const pending = invoke(market, buyer, agentId, { input: { text: 'x' } });
    await slow.waitForDeliveries(1);
    const [running] = (await get<{ items: Call[] }>(`/v1/invocations?agent_id=${agentId}`)).body.items;
    expect(running).toMatchObject({ status: 'running', evidence: null });
    await pending;
    const stranger = await register(market, 'buyer');
    expect((await get(`/v1/invocations/${running?.invocation_id}`, stranger.cookie)).status).toBe(404);
    await slow.stop();
  });
});

describe('the keys', () => {
  it('are public, may be cached, and hold nothing secret', async () => {
    const { status, headers, body } = await get<{ keys: object[] }>('/.well-known/jwks.json', '');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    for (const key of body.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    }
    const { rows } = await market.owner.query<{ kid: string; sealed_private: Buffer }>(
      'SELECT * FROM signing_keys',
    );
    await expect(
      market.container.cipher.unseal(rows[0]?.sealed_private ?? Buffer.alloc(0), {
        purpose: 'signing-key',
        kid: 'another',
      }),
    ).rejects.toThrow();
    expect(rows[0]?.sealed_private.includes(Buffer.from('PRIVATE KEY'))).toBe(false);
  });

  it('rotate by command; evidence of before and after verifies, each by its own key', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const before = evidenceOf(await call(agentId));
    const { stdout } = await operatorCommand(['evidence', 'rotate'], {
      DATABASE_URL: market.database.appUrl,
      MASTER_KEYS: market.config.MASTER_KEYS,
    });
    expect(stdout).toMatch(/^[\w-]{43} is the signing key now; [\w-]{43} is retired\.\n$/);
    const after = evidenceOf(await call(agentId));
    const keys = await jwks();
    const kidOf = ({ signature }: Evidence) =>
      (JSON.parse(Buffer.from(signature.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
    expect(stdout).toBe(`${kidOf(after)} is the signing key now; ${kidOf(before)} is retired.\n`);
    expect(await verifies(before, keys)).toBe(true);
    expect(await verifies(after, keys)).toBe(true);
    const without = { keys: keys.keys.filter((key) => key.kid !== kidOf(before)) };
    expect(await verifies(before, without)).toBe(false);
  });

  it('are created once when many processes need the first at once', async () => {
    const database = await createTestDatabase();
    const pool = testPool(database.appUrl, { max: 20 });
    const processes = Array.from({ length: 20 }, () =>
      createSigningKeys({ pool, cipher: market.container.cipher }),
    );
    const keys = await Promise.all(processes.map((keysOf) => keysOf.active()));
    expect(new Set(keys.map((key) => key.kid)).size).toBe(1);
    expect(await processes[0]?.published()).toHaveLength(1);
    await pool.end();
    await database.drop();
  });
});

describe('the keys that sign requests to agents', () => {
  const PATH = '/.well-known/http-message-signatures-directory';
  type Key = JWK & { kid: string; exp?: number };
  const keysOf = (body: Buffer) => (JSON.parse(body.toString()) as { keys: Key[] }).keys;
  /** The keys of another process. */
  const another = () =>
    createRequestKeys({
      pool: market.container.pool,
      cipher: market.container.cipher,
      origin: market.config.PUBLIC_ORIGIN,
      onError: (error) => expect(error).toBeUndefined(),
    });

  it('sign a call as Web Bot Auth, which a library verifies with a key of the directory', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    await call(agentId);
    const { headers } = agent.deliveries.at(-1) ?? {};
    expect(headers?.['signature-agent']).toBe(`market="${market.config.PUBLIC_ORIGIN}${PATH}"`);
    const { body, headers: served } = await directory();
    const kid = /;keyid="([^"]+)"/.exec(String(headers?.['signature-input']))?.[1];
    const key = keysOf(body).find((one) => one.kid === kid);
    expect(key).toMatchObject({ kty: 'OKP', crv: 'Ed25519', use: 'sig' });
    const sentTo = (path: string) => ({ method: 'POST', url: agent.url + path, headers: headers ?? {} });
    await verifyRequest(sentTo('/invoke'), key ?? {});
    await expect(verifyRequest(sentTo('/other'), key ?? {})).rejects.toThrow();

    expect(served.get('content-type')).toBe('application/http-message-signatures-directory+json');
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    expect(served.get('content-digest')).toBe(digest);
    const input = served.get('signature-input')?.split(', ')[0]?.replace('key0=', '') ?? '';
    const signature = /^key0=:([^:]+):/.exec(served.get('signature') ?? '')?.[1] ?? '';
    const { host } = new URL(market.config.PUBLIC_ORIGIN);
    const base = `"@authority";req: ${host}\n"content-digest": ${digest}\n"@signature-params": ${input}`;
    const publicKey = createPublicKey({ key: keysOf(body)[0] as JWK, format: 'jwk' });
    expect(verifyBytes(null, Buffer.from(base), publicKey, Buffer.from(signature, 'base64'))).toBe(true);
  });

  const directory = async () => {
    const response = await fetch(market.url + PATH);
    return { body: Buffer.from(await response.arrayBuffer()), headers: response.headers };
  };

  it('rotate by command; the replaced key stays in the directory, with its end', async () => {
    const [before] = keysOf((await another().directory()).body);
    const { stdout } = await operatorCommand(['evidence', 'rotate', '--requests'], {
      DATABASE_URL: market.database.appUrl,
      MASTER_KEYS: market.config.MASTER_KEYS,
    });
    const [active, retired] = keysOf((await another().directory()).body);
    expect(stdout).toBe(`${active?.kid} is the signing key now; ${before?.kid} is retired.\n`);
    expect(active?.exp).toBeUndefined();
    expect(retired).toMatchObject({ ...before, exp: expect.any(Number) as number });
    const signed = await another().headersFor('POST', 'https://agent.example/');
    expect(signed['signature-input']).toContain(`;keyid="${active?.kid}"`);
    const { rows } = await market.owner.query<{ row: string }>('SELECT r::text AS row FROM request_keys r');
    expect(rows.length).toBeGreaterThan(1);
  });
});

describe('the script of docs/evidence.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-evidence-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('accepts a receipt, and notices a changed one, one of another call and another input', async () => {
    const script = /```js file=\S+\n([\s\S]*?)```/.exec(
      readFileSync(join(__dirname, '../../../docs/evidence.md'), 'utf8'),
    )?.[1];
    writeFileSync(join(folder, 'verify.mjs'), script ?? '');
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const input = { text: 'grüße', n: 1 };
    const made = await call(agentId, { input });
    const other = await call(agentId, { input });
    const verdict = async (invocation: unknown, sent: unknown) => {
      writeFileSync(join(folder, 'invocation.json'), JSON.stringify(invocation));
      writeFileSync(join(folder, 'input.json'), JSON.stringify(sent));
      const files = ['verify.mjs', 'invocation.json', `${market.url}/.well-known/jwks.json`, 'input.json'];
      const done = run(process.execPath, files, { cwd: folder });
      return done.then(
        ({ stdout }) => stdout.trim(),
        (error: { stdout: string; code: number }) => `${error.stdout.trim()} (${error.code})`,
      );
    };
    expect(await verdict(made, input)).toBe('valid');
    expect(await verdict(made, { text: 'other' })).toBe('NOT VALID (1)');
    expect(await verdict({ ...other, evidence: made.evidence }, input)).toBe('NOT VALID (1)');
    const forged = structuredClone(made);
    evidenceOf(forged).offer.version = '1.0.1';
    expect(await verdict(forged, input)).toBe('NOT VALID (1)');
  });
});

/** Paths of everything in the evidence that is no object: strings, numbers, booleans, nulls, list elements. */
function leavesOf(value: unknown, path: string[] = []): string[][] {
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

function change(target: unknown, path: string[]): void {
  const holder = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>(
      (at, name) => at[name] as Record<string, unknown>,
      target as Record<string, unknown>,
    );
  const name = path.at(-1) ?? '';
  const value = holder[name];
  if (typeof value === 'string') holder[name] = (value.startsWith('a') ? 'b' : 'a') + value.slice(1);
  else if (typeof value === 'number') holder[name] = value + 1;
  else holder[name] = value === null ? true : !value;
}
