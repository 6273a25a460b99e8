/** /v1/mandate-keys, /v1/mandates as lists, the example, and what the ledger check finds in forged mandates. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { withClient } from '../../../src/runtime/postgres/database';
import { freePort } from '../../../src/runtime/processes/processes';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { testStack } from '../../support/stack/database';
import { ALL_SCOPES, makeKey } from '../../support/accounts/keys';
import {
  type MandateScene,
  mandateOf,
  outcomeOf,
  PRICE,
  startMandateScene,
  useMandate,
} from '../../support/mandates/mandate-scene';
import {
  budget,
  claimsOf,
  newSigner,
  payees,
  perCall,
  registerSigner,
  signMandate,
} from '../../support/mandates/mandates';
import { putLive, register } from '../../support/market';
import { places, request } from '../../support/catalogue/publishing';
import { superuserUrl } from '../../support/stack/stack';

const run = promisify(execFile);
let scene: MandateScene;

beforeAll(async () => {
  const port = await freePort();
  const env = { PORT: String(port), PUBLIC_ORIGIN: `http://127.0.0.1:${port}` };
  scene = await startMandateScene({ market: { env } });
});
afterAll(() => scene.stop());

describe('mandate keys', () => {
  interface Key {
    kid: string;
    jwk: Record<string, string>;
    name: string | null;
  }
  const post = (who: { cookie: string }, jwk: unknown, name?: string) =>
    request<Key>(scene.market, who, 'POST', '/v1/mandate-keys', { jwk, ...(name && { name }) });
  const list = async (who: { cookie: string }) =>
    (await request<{ items: Key[]; total: number }>(scene.market, who, 'GET', '/v1/mandate-keys')).body;

  it('are listed by their thumbprint, once each, for their owner only', async () => {
    const owner = await register(scene.market, 'buyer');
    const signer = await newSigner();
    const first = await post(owner, { ...signer.jwk, kid: signer.kid, alg: 'ES256', use: 'sig' }, 'first');
    expect(first).toMatchObject({ status: 201, body: { kid: signer.kid, jwk: signer.jwk, name: 'first' } });
    expect((await post(owner, signer.jwk, 'second')).body).toEqual(first.body);
    expect(await list(owner)).toMatchObject({ items: [first.body], total: 1 });
    expect((await list(scene.buyer)).items).toEqual([]);
    const remove = (cookie: string) =>
      fetch(`${scene.market.url}/v1/mandate-keys/${signer.kid}`, { method: 'DELETE', headers: { cookie } });
    expect((await remove(scene.buyer.cookie)).status).toBe(404);
    expect((await remove(owner.cookie)).status).toBe(204);
    expect((await list(owner)).items).toEqual([]);
  });

  it('verify mandates for readers without an account, at the address that agent cards name', async () => {
    const owner = await register(scene.market, 'buyer');
    const signer = await registerSigner(scene.market, owner);
    const options = { issuer: owner.userId, subject: owner.userId, holder: scene.holder, signer };
    const jws = await signMandate(scene.market, options);
    const { agentId } = scene;
    const card = await fetch(`${scene.market.url}/.well-known/agents/${agentId}/agent-card.json`);
    const { capabilities } = (await card.json()) as {
      capabilities: { extensions: { params: { jwks_url_template: string } }[] };
    };
    const template = capabilities.extensions[0]?.params.jwks_url_template ?? '';
    const jwks = await fetch(template.replace('{iss}', owner.userId));
    const keys = (await jwks.json()) as JSONWebKeySet;
    expect(keys.keys).toEqual([{ ...signer.jwk, kid: signer.kid, use: 'sig', alg: 'ES256' }]);
    const verified = await compactVerify(jws, createLocalJWKSet(keys));
    expect(verified.protectedHeader.kid).toBe(signer.kid);
    const none = await fetch(template.replace('{iss}', `usr_${'0'.repeat(32)}`));
    expect([none.status, await none.json()]).toEqual([200, { keys: [] }]);
  });

  it('are public, of P-256, and at most twenty', async () => {
    const owner = await register(scene.market, 'buyer');
    const { jwk } = await newSigner();
    const wrong: [unknown, string[]][] = [
      [{ ...jwk, d: 'A'.repeat(43) }, ['jwk.d']],
      [{ ...jwk, crv: 'P-384' }, ['jwk.crv']],
      [{ kty: 'RSA', n: 'x', e: 'AQAB' }, ['jwk.crv', 'jwk.e', 'jwk.kty', 'jwk.n', 'jwk.x', 'jwk.y']],
      [{ ...jwk, x: 'A'.repeat(43) }, ['jwk.x']],
      [{ ...jwk, x: `${jwk.x}=` }, ['jwk.x']],
      [{ ...jwk, kid: 'B'.repeat(43) }, ['jwk.kid']],
      [{ ...jwk, alg: 'none' }, ['jwk.alg']],
      ['key', ['jwk']],
    ];
    for (const [key, fields] of wrong) {
      const reply = await post(owner, key);
      expect({ status: reply.status, places: places(reply) }).toEqual({ status: 422, places: fields });
    }
    const storm = await Promise.all(
      Array.from({ length: 30 }, async () => (await post(owner, (await newSigner()).jwk)).status),
    );
    expect(storm.filter((status) => status === 201)).toHaveLength(20);
    const more = await post(owner, jwk);
    expect([more.status, more.body.error?.code]).toEqual([409, 'invalid_state']);
    type Page = { items: Key[]; total: number; next_cursor: string | null };
    const page = (query: string) =>
      request<Page>(scene.market, owner, 'GET', `/v1/mandate-keys?limit=15${query}`);
    const first = (await page('')).body;
    const second = (await page(`&cursor=${first.next_cursor}`)).body;
    expect([first.items.length, second.items.length, second.next_cursor]).toEqual([15, 5, null]);
    expect(new Set([...first.items, ...second.items].map(({ kid }) => kid)).size).toBe(20);
    expect([first.total, second.total]).toEqual([20, 20]);
    expect((await page('&cursor=x')).status).toBe(422);
  });

  it('can be changed in a session only; an API key may read them', async () => {
    const key = await makeKey(scene.market, scene.issuer, { scopes: ALL_SCOPES });
    const headers = { 'x-api-key': key.key, 'content-type': 'application/json' };
    const ask = async (method: string, where: string, body?: unknown) =>
      (
        await fetch(scene.market.url + where, {
          method,
          headers,
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
      ).status;
    expect(await ask('POST', '/v1/mandate-keys', { jwk: (await newSigner()).jwk })).toBe(401);
    expect(await ask('DELETE', `/v1/mandate-keys/${scene.signer.kid}`)).toBe(401);
    expect(await ask('DELETE', '/v1/mandates/mdt_1')).toBe(401);
    expect(await ask('GET', '/v1/mandates')).toBe(200);
    expect(await ask('GET', '/v1/mandate-keys')).toBe(200);
  });
});

it('lists mandates page by page, and shows them to their issuer only', async () => {
  const issuer = await register(scene.market, 'buyer', 1_000);
  const signer = await registerSigner(scene.market, issuer);
  const made = [];
  for (let n = 0; n < 5; n += 1) {
    const jws = await mandateOf(scene, { issuer: issuer.userId, subject: issuer.userId, signer });
    expect(outcomeOf(await useMandate(scene, jws))).toEqual([200, null]);
    made.unshift(claimsOf(jws)['jti']);
  }
  interface Page {
    items: { mandate_id: string }[];
    next_cursor: string | null;
    total: number;
  }
  const page = (query: string, who = issuer) =>
    request<Page>(scene.market, who, 'GET', `/v1/mandates?limit=2${query}`);
  const seen: unknown[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: { body: Page } = await page(cursor && `&cursor=${cursor}`);
    expect(body.total).toBe(5);
    seen.push(...body.items.map((item) => item.mandate_id));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(made);
  expect((await page('', scene.buyer)).body).toMatchObject({ items: [], total: 0 });
  expect((await page('&cursor=abc')).status).toBe(422);
  const stolen = await request(scene.market, scene.buyer, 'GET', `/v1/mandates/${String(made[0])}`);
  expect(stolen.status).toBe(404);
  expect((await request(scene.market, issuer, 'GET', '/v1/mandates/other')).status).toBe(404);
});

it('has an example that runs', async () => {
  const { market, developer, agent } = scene;
  await putLive(market, developer.userId, agent.url, {
    agentId: 'html-to-markdown',
    credits: 3,
    inputSchema: { type: 'object', required: ['html'] },
    outputSchema: { type: 'object' },
  });
  const payer = await register(market, 'buyer', 100);
  const account = ({ email }: { email: string }) => ({ email, password: 'correct horse battery' });
  const home = mkdtempSync(path.join(tmpdir(), 'mandates-'));
  const accounts = { buyer: account(payer), developer: account(developer) };
  writeFileSync(path.join(home, 'runtime.json'), JSON.stringify({ api_url: market.url, accounts }));
  const script = path.join(__dirname, '../../../examples/mandates/pay-by-mandate.mjs');
  const { stdout } = await run(process.execPath, [script], { env: { ...process.env, MARKET_HOME: home } });
  rmSync(home, { recursive: true });
  expect(stdout).toMatch(
    /for 3 credits\nspent 3 of 20 credits of mdt_[0-9a-f-]{36}\nagain: .* 403 .*mandate_invalid/,
  );
  const keys = await request(market, payer, 'GET', '/v1/mandate-keys');
  expect(keys.body).toMatchObject({ items: [] });
});

describe('the ledger check', () => {
  let jti: string;
  let invocationId: string;
  beforeAll(async () => {
    const constraints = [budget(100), perCall(50), payees(scene.agentId)];
    const jws = await mandateOf(scene, { constraints });
    jti = String(claimsOf(jws)['jti']);
    invocationId = (await useMandate(scene, jws)).body.invocation_id ?? '';
  });

  const mandate = () => `WHERE mandate_id = '${jti}'`;
  it.each<[string, () => [edit: string, undo: string, proofs: string[]]]>([
    [
      'hides what was spent',
      () => [
        `UPDATE mandates SET spent_units = 0 ${mandate()}`,
        `UPDATE mandates SET spent_units = ${PRICE * 100} ${mandate()}`,
        ['mandates'],
      ],
    ],
    [
      'has a reservation without a call',
      () => [
        `UPDATE mandates SET reserved_units = 100 ${mandate()}`,
        `UPDATE mandates SET reserved_units = 0 ${mandate()}`,
        ['mandates'],
      ],
    ],
    [
      'lacks one of its calls',
      () => [
        `UPDATE mandates SET occurrences = 0 ${mandate()}`,
        `UPDATE mandates SET occurrences = 1 ${mandate()}`,
        ['mandates'],
      ],
    ],
    [
      'has a smaller limit than what a call cost',
      () => [
        `UPDATE mandates SET max_call_units = 500 ${mandate()}`,
        `UPDATE mandates SET max_call_units = 5000 ${mandate()}`,
        ['mandated calls'],
      ],
    ],
    [
      'does not allow the agent that was called',
      () => [
        `UPDATE mandates SET payees = '{agt_other_v1}' ${mandate()}`,
        `UPDATE mandates SET payees = '{${scene.agentId}}' ${mandate()}`,
        ['mandated calls'],
      ],
    ],
    [
      'lost a call, which now has no mandate',
      () => [
        `UPDATE invocations SET mandate_id = NULL WHERE invocation_id = '${invocationId}'`,
        `UPDATE invocations SET mandate_id = '${jti}' WHERE invocation_id = '${invocationId}'`,
        ['mandates', 'mandated calls'],
      ],
    ],
  ])('finds a mandate that %s', async (_what, forgery) => {
    const [edit, undo, proofs] = forgery();
    const url = superuserUrl(testStack().postgresPort, scene.market.database.name);
    const byForce = (sql: string) =>
      withClient(url, (client) => client.query(`SET session_replication_role = replica; ${sql}`));
    await byForce(edit);
    const report = await checkLedger(scene.market.container.pool);
    await byForce(undo);
    expect(report.proofs.filter(({ total }) => total > 0).map(({ name }) => name)).toEqual(proofs);
  });

  it('finds no exceeded budget, since the database refuses one', async () => {
    for (const edit of [
      'spent_units = 10001',
      'reserved_units = 9100',
      'reserved_units = -100',
      'occurrences = -1',
    ]) {
      await expect(scene.market.owner.query(`UPDATE mandates SET ${edit} ${mandate()}`)).rejects.toThrow(
        'violates check',
      );
    }
    const write = scene.market.container.pool.query(`UPDATE mandates SET spent_units = 0 ${mandate()}`);
    await expect(write).rejects.toThrow('permission denied');
  });
});
