/** Accounts whose erasure has begun (ADR 0396): closed to every login, without memberships, and rid of every text. */
import { mailBox } from '../../support/accounts/mails';
import { organisation } from '../../support/accounts/organisation-rows';
import {
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { mailTokenSha256, newMailToken } from '../../../src/kit/crypto/mail-token';
import { newId } from '../../../src/kit/ids/ids';
import { useAgent, useMarket } from '../../support/use-market';
import { withClient } from '../../../src/runtime/postgres/database';
import { testStack } from '../../support/stack/database';
import { superuserUrl } from '../../support/stack/stack';

const PASSWORD = 'correct horse battery';
const mails = mailBox();
afterAll(() => mails.close());
const market = useMarket({ env: { MAIL_URL: mails.url } });
const agent = useAgent();

/** A confirmed deletion that no workflow moves. */
async function confirmed({ userId }: TestUser): Promise<string> {
  const id = newId('del');
  await market.owner.query(
    `INSERT INTO account_deletions (deletion_id, user_id, state, forfeits, confirm_from, confirmed_at, workflow_started_at)
     VALUES ($1, $2, 'confirmed', true, now(), now(), now())`,
    [id, userId],
  );
  return id;
}

async function closed(who: TestUser): Promise<string> {
  const id = await confirmed(who);
  expect(await market.container.deletions.begin(id)).toBe('erasing');
  return id;
}

const post = (path: string, body: object, cookie?: string) =>
  fetch(`${market.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie !== undefined && { cookie }) },
    body: JSON.stringify(body),
  });
const rowsOf = async (sql: string, ...values: unknown[]) =>
  (await market.owner.query<Record<string, unknown>>(sql, values)).rows;
const blocksOf = async ({ userId }: TestUser) =>
  (await rowsOf('SELECT account_delete_blocks($1, true) AS blocks', userId))[0] as { blocks: string[] };

describe('a closed account', () => {
  it('cannot log in, and keeps its address until it is erased', async () => {
    const person = await register(market, 'buyer');
    const { email, userId } = person;
    await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [userId]);
    await closed(person);
    expect((await post('/v1/auth/login', { email, password: PASSWORD })).status).toBe(401);
    const again = { email, password: PASSWORD, displayName: 'New', role: 'buyer' };
    expect((await post('/v1/auth/register', again)).status).toBe(409);

    // A session that a login of before writes late.
    const sess = { cookie: {}, passport: { user: userId } };
    await market.owner.query(
      `INSERT INTO sessions (sid, sess, expire) VALUES ($1, $2, now() + interval '1 hour')`,
      ['late-session-of-a-closed-account', JSON.stringify(sess)],
    );
    const late = await market.container.accounts.findSession('late-session-of-a-closed-account');
    expect(late?.user).toBeNull();
  });

  it('gets no mail that resets the password, and a token of before is of no use', async () => {
    const person = await register(market, 'buyer');
    await closed(person);
    await post('/v1/auth/password/forgot', { email: person.email });
    await market.container.mails.ofAccounts.send();
    expect(mails.to(person.email).filter(({ subject }) => /password/i.test(subject))).toEqual([]);
    const token = newMailToken();
    await market.owner.query(
      `INSERT INTO mail_tokens (sha256, user_id, purpose, email, expires_at)
       VALUES ($1, $2, 'reset_password', $3, now() + interval '1 hour')`,
      [mailTokenSha256(token), person.userId, person.email],
    );
    await expect(
      market.container.recovery.reset(token, 'another good password', { keys: true, grants: true }),
    ).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('accepts no invitation', async () => {
    const [owner, person] = [await register(market, 'buyer'), await register(market, 'buyer')];
    await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [
      person.userId,
    ]);
    const orgId = await organisation(market, { owner });
    const token = newMailToken();
    await closed(person);
    await market.owner.query(
      `INSERT INTO organisation_invitations (invitation_id, org_id, email, role, invited_by, expires_at, sha256)
       VALUES ($1, $2, $3, 'viewer', $4, now() + interval '1 day', $5)`,
      [newId('oin'), orgId, person.email, owner.userId, mailTokenSha256(token)],
    );
    await expect(market.container.organisations.accept(person.userId, token)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('the memberships of a closed account', () => {
  it('end with the keys and the invitations that it made', async () => {
    const [owner, person] = [await register(market, 'buyer'), await register(market, 'buyer')];
    const orgId = await organisation(market, { owner, admin: person });
    const [parent, child, other] = [newId('key'), newId('key'), newId('key')];
    for (const [id, made, above] of [
      [parent, person, null],
      [child, null, parent],
      [other, owner, null],
    ] as const)
      await market.owner.query(
        `INSERT INTO api_keys (key_id, user_id, name, scopes, hint, created_by, parent_key_id)
         VALUES ($1, $2, 'key', ARRAY['agents:read'], 'abcd', $3, $4)`,
        [id, orgId, made?.userId ?? null, above],
      );
    await market.owner.query(
      `INSERT INTO organisation_invitations (invitation_id, org_id, email, role, invited_by, expires_at)
       VALUES ($1, $2, 'invited@example.test', 'viewer', $3, now() + interval '1 day')`,
      [newId('oin'), orgId, person.userId],
    );
    await market.owner.query(
      `INSERT INTO organisation_actions (entry_id, org_id, person, action, subject, details)
       VALUES ($1, $2, $3, 'inviteMember', 'x', jsonb_build_object('email', $4::text))`,
      [newId('oac'), orgId, owner.userId, person.email],
    );
    const id = await closed(person);
    expect(await rowsOf('SELECT user_id FROM organisation_members WHERE org_id = $1', orgId)).toEqual([
      { user_id: owner.userId },
    ]);
    expect(
      await rowsOf('SELECT key_id FROM api_keys WHERE user_id = $1 AND deleted_at IS NULL', orgId),
    ).toEqual([{ key_id: other }]);
    expect(await rowsOf('SELECT FROM organisation_invitations WHERE org_id = $1', orgId)).toEqual([]);
    // The log of the organisation does not name the person any more.
    await market.container.deletions.erase(id, 'access', new AbortController().signal);
    expect(await rowsOf('SELECT details FROM organisation_actions WHERE org_id = $1', orgId)).toEqual([
      { details: {} },
    ]);
  });

  it('leave an owner, also when two of them are deleted at once', async () => {
    const people = [await register(market, 'buyer'), await register(market, 'buyer')] as const;
    const orgId = await organisation(market, { owner: people[0] });
    await market.owner.query(
      `INSERT INTO organisation_members (org_id, user_id, role) VALUES ($1, $2, 'owner')`,
      [orgId, people[1].userId],
    );
    const ids = await Promise.all(people.map(confirmed));
    const begun = await Promise.all(ids.map((id) => market.container.deletions.begin(id)));
    expect([...begun].sort()).toEqual(['blocked', 'erasing']);
    const left = people[begun.indexOf('blocked')] ?? people[0];
    expect((await blocksOf(left)).blocks).toEqual(['only_owner']);
    expect(
      await rowsOf(`SELECT user_id FROM organisation_members WHERE org_id = $1 AND role = 'owner'`, orgId),
    ).toEqual([{ user_id: left.userId }]);
  });
});

it('a top-up that its provider can still complete blocks a deletion at any age', async () => {
  const person = await register(market, 'buyer');
  await market.owner.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, provider_reference, created_at)
     VALUES ($1, $2, 100, 'INR', 100, 'razorpay', $1, now() - interval '40 days')`,
    [newId('top'), person.userId],
  );
  expect((await blocksOf(person)).blocks).toEqual(['pending_topups']);
  await market.owner.query(`UPDATE topups SET status = 'failed', completed_at = now() WHERE user_id = $1`, [
    person.userId,
  ]);
  expect((await blocksOf(person)).blocks).toEqual([]);
});

describe('the erasure', () => {
  it('retires agents in batches, and leaves no text of theirs', async () => {
    const seller = await register(market, 'developer');
    const agents: string[] = [];
    for (let i = 0; i < 21; i += 1)
      agents.push((await putLive(market, seller.userId, agent.url, { credits: 10 })).agentId);
    const word = 'zqpublicpartzq';
    const part = {
      pricing: { model: 'per_call', credits_per_call: 10, free_tier_calls: 0 },
      capabilities: {
        streaming: true,
        jobs: { max_seconds: 60, milestones: [{ name: word, percent: 100 }] },
      },
      data_handling: {
        pii_processed: true,
        data_retention_days: 3,
        residency: 'eu',
        subprocessors: [word],
      },
      homepage: `https://${word}.test`,
      icon_url: `https://${word}.test/icon`,
      vertical: word,
      changelog: word,
      erc8004: [{ agent_id: '1', registry: word }],
    };
    await market.owner.query(`SELECT set_config('market.erasing', 'on', false)`);
    await market.owner.query('UPDATE agent_versions SET public_part = $2 WHERE agent_id = $1', [
      agents[0],
      JSON.stringify(part),
    ]);
    await market.owner.query(`SELECT set_config('market.erasing', '', false)`);
    await market.owner.query(
      `INSERT INTO tool_lists (list_id, agent_id, version_id, state, digest, tools, tool_count, changes)
       SELECT $2, agent_id, version_id, 'candidate', repeat('0', 64), $3, 1, $3 FROM agent_versions WHERE agent_id = $1`,
      [agents[0], newId('tls'), JSON.stringify([{ name: word }])],
    );
    await market.owner.query(
      `INSERT INTO tool_watches (version_id, agent_id, digest, gone)
       SELECT version_id, agent_id, repeat('0', 64), ARRAY[$2] FROM agent_versions WHERE agent_id = $1
       ON CONFLICT (version_id) DO UPDATE SET gone = excluded.gone`,
      [agents[0], word],
    );
    const id = await closed(seller);
    // Mails of the registration are sent by then, too.
    await eventually(() => market.container.deletions.isAtRest(id), 30_000);
    expect(
      await rowsOf(
        'SELECT DISTINCT status, count(*)::int AS n FROM agents WHERE developer_user_id = $1 GROUP BY 1',
        seller.userId,
      ),
    ).toEqual([{ status: 'retired', n: 21 }]);
    await market.container.deletions.erase(id, 'agents', new AbortController().signal);
    for (const table of ['tool_lists', 'tool_watches'])
      expect([table, await rowsOf(`SELECT * FROM ${table} WHERE agent_id = $1`, agents[0])]).toEqual([
        table,
        [],
      ]);
    const [version] = (await rowsOf(
      'SELECT description, manifest, public_part FROM agent_versions WHERE agent_id = $1',
      agents[0],
    )) as { description: string; manifest: string; public_part: string }[];
    expect(version?.description).toBe('Deleted with the account.');
    expect(JSON.stringify(version)).not.toContain(word);
    expect(JSON.parse(version?.public_part ?? '')).toEqual({
      ...part,
      capabilities: {
        streaming: true,
        jobs: { max_seconds: 60, milestones: [{ name: 'Milestone 1', percent: 100 }] },
      },
      data_handling: { ...part.data_handling, subprocessors: [] },
      homepage: null,
      icon_url: null,
      vertical: null,
      changelog: null,
      erc8004: undefined,
    });
  });

  it('deletes tags and keys of calls that are archived', async () => {
    const seller = await register(market, 'developer');
    const { agentId } = await putLive(market, seller.userId, agent.url, { credits: 10 });
    const buyer = await register(market, 'buyer', 10);
    const bought = await invoke(market, buyer, agentId, {
      input: { text: 'bought' },
      metadata: { project: 'zqatlas' },
      idempotency_key: 'zqkey',
    });
    expect(bought.status).toBe(200);
    await expectWholeLedger(market);
    await market.owner.query(
      `CREATE TABLE archive.all_of_a_test PARTITION OF archive.invocations FOR VALUES FROM (MINVALUE) TO (MAXVALUE)`,
    );
    await moveCalls(buyer, 'invocations', 'archive.invocations');
    const id = await closed(buyer);
    await market.container.deletions.erase(id, 'calls', new AbortController().signal);
    for (const table of ['call_tags', 'invocation_keys'])
      expect([table, await rowsOf(`SELECT * FROM ${table} WHERE buyer_user_id = $1`, buyer.userId)]).toEqual([
        table,
        [],
      ]);
    await moveCalls(buyer, 'archive.invocations', 'invocations');
    await market.owner.query('DROP TABLE archive.all_of_a_test');
  });
});

/** Moves the calls of a buyer to another table, behind the triggers. */
const moveCalls = ({ userId }: TestUser, from: string, to: string): Promise<void> =>
  withClient(superuserUrl(testStack().postgresPort, market.database.name), async (client) => {
    await client.query(
      `BEGIN; SET LOCAL session_replication_role = replica;
       INSERT INTO ${to} SELECT * FROM ${from} WHERE buyer_user_id = '${userId}';
       DELETE FROM ${from} WHERE buyer_user_id = '${userId}'; COMMIT`,
    );
  });
