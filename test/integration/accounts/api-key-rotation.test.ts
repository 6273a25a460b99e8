/** Rotating API keys (contract, "Accounts, sessions, keys"): the old secret dies at once, or after the grace. */
import { Client } from 'pg';
import request from 'supertest';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { testRoutes } from '../../support/accounts/echo-route';
import { makeKey, type TestKey } from '../../support/accounts/keys';

let api: TestApi;
let owner: Client;
let cookie: string;
beforeAll(async () => {
  api = await startTestApi({ routes: [testRoutes()] });
  owner = new Client({ connectionString: api.database.ownerUrl });
  await owner.connect();
  const person = { email: 'r@example.com', password: 'long enough', displayName: 'R', role: 'buyer' };
  const response = await request(api.url).post('/v1/auth/register').send(person);
  cookie = (response.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '';
});
afterAll(async () => {
  await owner.end();
  await api.close();
});

const use = async (key: string) =>
  (await request(api.url).post('/v1/echo/thing_a').set('x-api-key', key).send({ input: {} })).status;

async function rotate(
  keyId: string,
  body?: object,
): Promise<{ status: number; body: TestKey & { error?: object } }> {
  const call = request(api.url).post(`/v1/keys/${keyId}/rotate`).set('cookie', cookie);
  return body === undefined ? call : call.send(body);
}

it('invalidates the old secret at once, and keeps everything else of the key', async () => {
  const { key, ...made } = await makeKey(api, { cookie }, { credit_cap: 7, expires_at: '2099-01-01' });
  for (const body of [undefined, {}, { grace_seconds: 0 }]) {
    const before = (await rotate(made.key_id)).body.key;
    const { status, body: rotated } = await rotate(made.key_id, body);
    expect(status).toBe(200);
    expect([await use(key), await use(before), await use(rotated.key)]).toEqual([401, 401, 200]);
    expect(rotated).toEqual({
      ...made,
      key: rotated.key,
      key_hint: rotated.key.slice(-4),
      last_used_at: rotated.last_used_at,
    });
  }
});

it('accepts the old secret during the grace period, and no longer', async () => {
  const { key, key_id: keyId } = await makeKey(api, { cookie });
  const newer = (await rotate(keyId, { grace_seconds: 60 })).body.key;
  expect([await use(key), await use(newer)]).toEqual([200, 200]);
  await owner.query(
    `UPDATE api_key_secrets SET ends_at = ends_at - interval '58 seconds' WHERE key_id = $1`,
    [keyId],
  );
  expect(await use(key)).toBe(200);
  await owner.query(`UPDATE api_key_secrets SET ends_at = ends_at - interval '2 seconds' WHERE key_id = $1`, [
    keyId,
  ]);
  expect([await use(key), await use(newer)]).toEqual([401, 200]);
});

it('never extends a running grace period', async () => {
  const { key, key_id: keyId } = await makeKey(api, { cookie });
  await rotate(keyId, { grace_seconds: 10 });
  await rotate(keyId, { grace_seconds: 86_400 });
  const { rows } = await owner.query<{ left: number }>(
    `SELECT extract(epoch FROM ends_at - now())::float8 AS left FROM api_key_secrets
      WHERE key_id = $1 AND ends_at IS NOT NULL ORDER BY ends_at`,
    [keyId],
  );
  expect(rows.map(({ left }) => Math.round(left / 10) * 10)).toEqual([10, 86_400]);
  expect(await use(key)).toBe(200);
});

it('accepts a grace period of at most a day, and a bounded number of old secrets', async () => {
  const { key, key_id: keyId } = await makeKey(api, { cookie });
  for (const grace of [-1, 86_401, 0.5, '60'])
    expect((await rotate(keyId, { grace_seconds: grace })).status).toBe(422);
  for (let n = 0; n < 9; n += 1) expect((await rotate(keyId, { grace_seconds: 600 })).status).toBe(200);
  expect((await rotate(keyId, { grace_seconds: 600 })).status).toBe(409);
  expect(await use(key)).toBe(200);
  const last = await rotate(keyId, { grace_seconds: 0 });
  expect([await use(key), await use(last.body.key)]).toEqual([401, 200]);
});

it('ends with the key', async () => {
  const { key, key_id: keyId } = await makeKey(api, { cookie });
  const newer = (await rotate(keyId, { grace_seconds: 600 })).body.key;
  await request(api.url).delete(`/v1/keys/${keyId}`).set('cookie', cookie).expect(204);
  expect([await use(key), await use(newer), (await rotate(keyId)).status]).toEqual([401, 401, 404]);
});
