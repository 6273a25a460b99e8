/** Export and deletion of an organisation by its owners (ADR 0397). Members lose access, and keep their accounts. */
import type { Client as TemporalClient } from '@temporalio/client';
import { fastForward } from '../../../src/engine/time-travel';
import { mailTokenSha256, newMailToken } from '../../../src/kit/crypto/mail-token';
import { newId } from '../../../src/kit/ids/ids';
import { mailBox, tokenOf } from '../../support/accounts/mails';
import { organisation } from '../../support/accounts/organisation-rows';
import { counter, decide, deposit, slash } from '../../support/disputes/bonds';
import { registerOperator, succeed } from '../../support/disputes/disputes';
import { filesOf, listOf } from '../../support/leaving';
import { eventually, expectWholeLedger, putLive, register, type TestUser, topUp } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

const DAY_MS = 86_400_000;
const LONG = 60_000;
const PASSWORD = 'correct horse battery';

const mails = mailBox();
afterAll(() => mails.close());
const market = useMarket({ env: { MAIL_URL: mails.url } });
const agent = useAgent();
let owner: TestUser;
let admin: TestUser;
let orgId: string;

beforeEach(async () => {
  [owner, admin] = [await register(market, 'buyer'), await register(market, 'buyer')];
  orgId = await organisation(market, { owner, admin });
});

async function ask<T = Record<string, unknown>>(
  who: Pick<TestUser, 'cookie'>,
  method: string,
  path: string,
  { body, acts = true }: { body?: object; acts?: boolean } = {},
): Promise<{ status: number; body: T }> {
  const answer = await fetch(`${market.url}${path}`, {
    method,
    headers: {
      cookie: who.cookie,
      ...(acts && { 'x-owner': orgId }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : {}) as T };
}
const request = (who: TestUser, more: object = {}) =>
  ask<{ deletion_id: string; user_id: string }>(who, 'POST', '/v1/account/delete', {
    body: { password: PASSWORD, ...more },
  });
const rowsOf = async (sql: string, ...values: unknown[]) =>
  (await market.owner.query<Record<string, unknown>>(sql, values)).rows;
const isIn = (id: string, state: string) =>
  eventually(
    async () =>
      (await rowsOf('SELECT FROM account_deletions WHERE deletion_id = $1 AND state = $2', id, state))
        .length === 1,
    LONG / 2,
  );

it('is exported by an owner with its members and its log, and by no other member', async () => {
  expect((await ask(admin, 'POST', '/v1/account/export')).status).toBe(403);
  const { status, body } = await ask<{ export_id: string }>(owner, 'POST', '/v1/account/export');
  expect(status).toBe(202);
  const { export_id: id } = body;
  await eventually(
    async () =>
      (await rowsOf(`SELECT FROM account_exports WHERE export_id = $1 AND state = 'ready'`, id)).length === 1,
    LONG / 2,
  );
  const path = `${market.url}/v1/account/exports/${id}/archive.zip`;
  const archive = await fetch(path, { headers: { cookie: owner.cookie, 'x-owner': orgId } });
  const files = await filesOf(Buffer.from(await archive.arrayBuffer()));
  expect(
    listOf<{ user_id: string }>(files, 'members')
      .map(({ user_id }) => user_id)
      .sort(),
  ).toEqual([owner.userId, admin.userId].sort());
  expect(listOf<{ action: string }>(files, 'organisation_log').map(({ action }) => action)).toContain(
    'requestExport',
  );
  expect((await fetch(path, { headers: { cookie: owner.cookie } })).status).toBe(404);
});

it(
  'is deleted by an owner with two confirmations; its members keep their accounts',
  async () => {
    const [late, key] = [await register(market, 'buyer'), newId('key')];
    await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [late.userId]);
    await market.owner.query(
      `INSERT INTO api_keys (key_id, user_id, name, scopes, hint, created_by)
       VALUES ($1, $2, 'key', ARRAY['agents:read'], 'abcd', $3)`,
      [key, orgId, admin.userId],
    );
    await market.owner.query(
      `INSERT INTO organisation_actions (entry_id, org_id, person, action, subject, network)
       VALUES ($1, $2, $3, 'changeOrganisation', '', '10.0.0.0/24')`,
      [newId('oac'), orgId, admin.userId],
    );
    expect((await request(admin)).status).toBe(403);
    expect((await request(owner, { password: 'a wrong password' })).status).toBe(401);
    const requested = await request(owner);
    expect([requested.status, requested.body.user_id]).toEqual([202, orgId]);
    const { deletion_id: id } = requested.body;
    // Its owners and admins get the report, and the deletion is not one of the person.
    for (const { email } of [owner, admin])
      await eventually(
        () => mails.to(email).some(({ subject }) => subject.includes(`organisation ${orgId} was requested`)),
        LONG / 2,
      );
    const own = await ask<{ deletion: null }>(owner, 'GET', '/v1/account/delete', { acts: false });
    expect(own.body.deletion).toBeNull();

    await fastForward(market.engine.link.client() as TemporalClient, `deletion/${id}`, 14 * DAY_MS);
    await isIn(id, 'confirmable');
    const mail = () => mails.to(owner.email).find(({ subject }) => subject.startsWith('Confirm that your'));
    await eventually(() => mail() !== undefined, LONG / 2);
    expect(mail()?.subject).toContain(orgId);
    const token = newMailToken();
    await market.owner.query(
      `INSERT INTO organisation_invitations (invitation_id, org_id, email, role, invited_by, expires_at, sha256)
       VALUES ($1, $2, $3, 'viewer', $4, now() + interval '1 day', $5)`,
      [newId('oin'), orgId, late.email, owner.userId, mailTokenSha256(token)],
    );
    const confirmed = await ask(owner, 'POST', '/v1/account/delete/confirm', {
      body: { token: tokenOf(mail()) },
      acts: false,
    });
    expect(confirmed.status).toBe(202);
    await isIn(id, 'erased');

    expect((await ask(owner, 'GET', '/v1/billing/balance')).status).toBe(404);
    for (const member of [owner, admin])
      expect((await ask(member, 'GET', '/v1/auth/me', { acts: false })).status).toBe(200);
    const accepted = await ask(late, 'POST', '/v1/organisations/invitations/accept', {
      body: { token },
      acts: false,
    });
    expect(accepted.status).toBe(404);
    expect(
      await rowsOf(
        'SELECT display_name, email, closed_at IS NULL AS open FROM users WHERE user_id = $1',
        orgId,
      ),
    ).toEqual([{ display_name: 'Deleted account', email: `${orgId}@deleted.invalid`, open: false }]);
    expect(
      await rowsOf('SELECT key_id FROM api_keys WHERE user_id = $1 AND deleted_at IS NULL', orgId),
    ).toEqual([]);
    for (const table of ['organisation_members', 'organisation_invitations', 'organisation_actions'])
      expect([table, await rowsOf(`SELECT * FROM ${table} WHERE org_id = $1`, orgId)]).toEqual([table, []]);
    expect(await rowsOf('SELECT contact_email FROM organisations WHERE org_id = $1', orgId)).toEqual([
      { contact_email: `${orgId}@deleted.invalid` },
    ]);
    await expectWholeLedger(market);
  },
  LONG,
);

it('refuses an invitation that is accepted while the organisation ends', async () => {
  const late = await register(market, 'buyer');
  await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [late.userId]);
  const [token, id] = [newMailToken(), newId('del')];
  await market.owner.query(
    `INSERT INTO organisation_invitations (invitation_id, org_id, email, role, invited_by, expires_at, sha256)
     VALUES ($1, $2, $3, 'owner', $4, now() + interval '1 day', $5)`,
    [newId('oin'), orgId, late.email, owner.userId, mailTokenSha256(token)],
  );
  await market.owner.query(
    `INSERT INTO account_deletions (deletion_id, user_id, state, forfeits, confirm_from, confirmed_at, requested_by,
            workflow_started_at)
     VALUES ($1, $2, 'confirmed', true, now(), now(), $3, now())`,
    [id, orgId, owner.userId],
  );
  const { container } = market;
  const [begun, accepted] = await Promise.allSettled([
    container.deletions.begin(id),
    container.organisations.accept(late.userId, token),
  ]);
  expect(begun).toMatchObject({ value: 'erasing' });
  if (accepted.status === 'rejected') expect(accepted.reason).toMatchObject({ code: 'not_found' });
  expect(await rowsOf('SELECT FROM organisation_members WHERE org_id = $1', orgId)).toEqual([]);
  await expect(container.organisations.accept(late.userId, token)).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('is handed over while a slash is open: the new owner answers it, and it blocks the deletion until then', async () => {
  const operator = await registerOperator(market);
  const buyer = await register(market, 'buyer', 100);
  await topUp(market.owner, orgId, 1_000);
  const { agentId } = await putLive(market, orgId, agent.url, { credits: 10 });
  const asOrg = async (who: TestUser) => {
    await ask(who, 'PUT', '/v1/auth/owner', { body: { owner: orgId }, acts: false });
    return who;
  };
  await deposit(market, await asOrg(owner), 600);
  const call = await succeed(market, buyer, agentId);
  const { body: taken } = await slash(market, operator, { agentId, credits: 50, calls: [call] });
  const handed = await ask(owner, 'POST', `/v1/organisations/${orgId}/hand-over`, {
    body: { user_id: admin.userId },
    acts: false,
  });
  expect(handed.status).toBeLessThan(300);
  expect((await request(owner, { forfeit_credits: true })).status).toBe(403);
  const standing = await ask<{ blocked_by: { code: string }[] }>(admin, 'GET', '/v1/account/delete');
  expect(standing.body.blocked_by.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['bond', 'open_slashes']),
  );
  expect((await request(admin, { forfeit_credits: true })).status).toBe(409);
  expect((await counter(market, await asOrg(admin), taken.slash_id)).status).toBeLessThan(300);
  await decide(market, operator, taken.slash_id, 'overturned');
  const after = await ask<{ blocked_by: { code: string }[] }>(admin, 'GET', '/v1/account/delete');
  expect(after.body.blocked_by.map(({ code }) => code)).not.toContain('open_slashes');
  await expectWholeLedger(market);
});
