/** For whom a request acts: the person, the owner of the key, the chosen owner, or the one of `X-Owner`. */
import { MEMBER_PERMISSIONS } from '../../../src/domain/accounts/roles';
import { newId } from '../../../src/kit/ids/ids';
import { organisation } from '../../support/accounts/organisation-rows';
import { makeKey } from '../../support/accounts/keys';
import { register, topUp, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket();

async function ask(path: string, headers: Record<string, string>, init: RequestInit = {}) {
  const response = await fetch(market.url + path, {
    ...init,
    headers: { ...headers, ...(init.headers ?? {}) },
  });
  const body = (response.status === 204 ? undefined : await response.json()) as {
    available_credits?: number;
    error?: { code: string; message: string };
  };
  return { status: response.status, code: body?.error?.code, body };
}

const json = (value: unknown) => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});

describe('X-Owner', () => {
  it('names the organisation whose wallet a member reads, and is 404 for all other persons', async () => {
    const [ada, eve] = [await register(market, 'buyer'), await register(market, 'buyer')];
    const orgId = await organisation(market, { owner: ada });
    await topUp(market.owner, orgId, 700);
    await topUp(market.owner, ada.userId, 5);
    const own = await ask('/v1/billing/balance', { cookie: ada.cookie });
    const theirs = await ask('/v1/billing/balance', { cookie: ada.cookie, 'x-owner': orgId });
    expect([own.body.available_credits, theirs.body.available_credits]).toEqual([5, 700]);
    for (const owner of [orgId, newId('org'), newId('usr'), 'acme', ada.userId]) {
      const { status, code } = await ask('/v1/billing/balance', { cookie: eve.cookie, 'x-owner': owner });
      expect([owner, status, code]).toEqual([owner, 404, 'not_found']);
    }
    const self = await ask('/v1/billing/balance', { cookie: ada.cookie, 'x-owner': ada.userId });
    expect(self.body.available_credits).toBe(5);
  });

  it('permits what the role of the member permits', async () => {
    const [ada, vera] = [await register(market, 'buyer'), await register(market, 'buyer')];
    const orgId = await organisation(market, { owner: ada, viewer: vera });
    const wish = json({ name: 'k', scopes: ['agents:read'] });
    const refused = await ask('/v1/keys', { cookie: vera.cookie, 'x-owner': orgId }, wish);
    expect([refused.status, refused.code]).toEqual([403, 'forbidden']);
    expect(refused.body.error?.message).toContain('viewer');
    expect((await ask('/v1/keys', { cookie: ada.cookie, 'x-owner': orgId }, wish)).status).toBe(201);
  });

  it('asks for the second factor that the organisation requires', async () => {
    const ada = await register(market, 'buyer');
    const orgId = await organisation(market, { owner: ada });
    await market.owner.query('UPDATE organisations SET require_second_factor = true WHERE org_id = $1', [
      orgId,
    ]);
    const answer = await ask('/v1/billing/balance', { cookie: ada.cookie, 'x-owner': orgId });
    expect([answer.status, answer.code]).toEqual([403, 'forbidden']);
  });
});

describe('a key that a member made for an organisation', () => {
  it('acts for the organisation, within the role that the member has now', async () => {
    const [ada, dev] = [await register(market, 'buyer'), await register(market, 'buyer')];
    const orgId = await organisation(market, { owner: ada, developer: dev });
    await topUp(market.owner, orgId, 40);
    const made = await ask(
      '/v1/keys',
      { cookie: dev.cookie, 'x-owner': orgId },
      json({ name: 'k', scopes: ['billing:read', 'keys:manage'] }),
    );
    const { key } = made.body as unknown as { key: string };
    expect((await ask('/v1/billing/balance', { 'x-api-key': key })).body.available_credits).toBe(40);
    expect((await ask('/v1/billing/ledger', { 'x-api-key': key })).status).toBe(403);
    expect((await ask('/v1/billing/balance', { 'x-api-key': key, 'x-owner': dev.userId })).status).toBe(404);
    await market.owner.query(
      `UPDATE organisation_members SET role = 'viewer' WHERE org_id = $1 AND user_id = $2`,
      [orgId, dev.userId],
    );
    expect((await ask('/v1/keys', { 'x-api-key': key })).status).toBe(403);
    await market.owner.query('DELETE FROM organisation_members WHERE org_id = $1 AND user_id = $2', [
      orgId,
      dev.userId,
    ]);
    expect((await ask('/v1/billing/balance', { 'x-api-key': key })).status).toBe(401);
  });

  it('is seen by the developer who made it and by the owner, not by other developers', async () => {
    const [ada, dev] = [await register(market, 'buyer'), await register(market, 'buyer')];
    const orgId = await organisation(market, { owner: ada, developer: dev });
    const wish = json({ name: 'of ada', scopes: ['agents:read'] });
    const made = await ask('/v1/keys', { cookie: ada.cookie, 'x-owner': orgId }, wish);
    const list = async (who: TestUser) =>
      (await ask('/v1/keys', { cookie: who.cookie, 'x-owner': orgId })).body as unknown as { total: number };
    expect([(await list(ada)).total, (await list(dev)).total]).toEqual([1, 0]);
    const { key_id: keyId } = made.body as unknown as { key_id: string };
    const byDev = { cookie: dev.cookie, 'x-owner': orgId };
    expect((await ask(`/v1/keys/${keyId}`, byDev, { method: 'DELETE' })).status).toBe(404);
    const own = await makeKey(market, ada, { scopes: ['agents:read'] });
    expect((await ask(`/v1/keys/${own.key_id}`, byDev, { method: 'DELETE' })).status).toBe(404);
  });
});

describe('the profile of a session', () => {
  interface Acting {
    owner_id: string;
    refused: string | null;
    member_role: string | null;
    permissions: string[];
    account: { name: string; role: string } | null;
  }
  const choose = async ({ cookie }: TestUser, owner: string | null) =>
    (await ask('/v1/auth/owner', { cookie }, { ...json({ owner }), method: 'PUT' })).status;
  const acting = async ({ cookie }: TestUser) =>
    ((await ask('/v1/auth/me', { cookie })).body as { acting_for?: Acting | null }).acting_for;

  it('names the organisation that was chosen, and what the role of the member permits', async () => {
    const [ada, vera] = [await register(market, 'buyer'), await register(market, 'buyer')];
    const orgId = await organisation(market, { owner: ada, viewer: vera });
    expect(await acting(vera)).toBeNull();
    expect(await choose(vera, orgId)).toBe(204);
    expect(await acting(vera)).toMatchObject({
      owner_id: orgId,
      refused: null,
      member_role: 'viewer',
      permissions: ['view', 'viewMoney'],
      account: { name: 'Acme', role: 'developer' },
    });
    expect(await choose(ada, orgId)).toBe(204);
    expect((await acting(ada))?.permissions).toEqual(Object.keys(MEMBER_PERMISSIONS));
    expect(await choose(vera, null)).toBe(204);
    expect(await acting(vera)).toBeNull();
  });

  it('says why requests for the organisation are refused', async () => {
    const [ada, vera] = [await register(market, 'buyer'), await register(market, 'buyer')];
    const orgId = await organisation(market, { owner: ada, viewer: vera });
    expect(await choose(vera, orgId)).toBe(204);
    const demand = (column: string) =>
      market.owner.query(`UPDATE organisations SET ${column} = true WHERE org_id = $1`, [orgId]);
    await demand('require_second_factor');
    expect(await acting(vera)).toMatchObject({ refused: 'second_factor', member_role: 'viewer' });
    await demand('require_sso');
    expect(await acting(vera)).toMatchObject({ refused: 'company_sign_in' });
    await market.owner.query('DELETE FROM organisation_members WHERE org_id = $1 AND user_id = $2', [
      orgId,
      vera.userId,
    ]);
    expect(await acting(vera)).toEqual({
      owner_id: orgId,
      refused: 'not_a_member',
      member_role: null,
      permissions: [],
      account: null,
    });
  });
});
