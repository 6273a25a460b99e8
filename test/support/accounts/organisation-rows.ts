/** Organisations of tests, written as rows. */
import type { MemberRole } from '../../../src/domain/accounts/roles';
import { apiKeyHint, apiKeySha256, newApiKey } from '../../../src/kit/crypto/api-key-format';
import { newId } from '../../../src/kit/ids/ids';
import { type TestMarket, type TestUser, topUp } from '../market';

/** An organisation with one member of each of the given roles. Returns its id. */
export async function organisation(
  { owner }: { owner: Pick<TestMarket['owner'], 'query'> },
  members: Partial<Record<MemberRole, Pick<TestUser, 'userId'>>>,
): Promise<string> {
  const orgId = newId('org');
  const [first] = Object.values(members);
  await owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, kind, email_confirmed_at, developer_id)
     VALUES ($1, $1, '', 'Acme', 'developer', 'organisation', now(), 'dev_' || replace($1, '_', '-'))`,
    [orgId],
  );
  await owner.query(
    `INSERT INTO organisations (org_id, contact_email, created_by) VALUES ($1, 'office@acme.example', $2)`,
    [orgId, first?.userId],
  );
  for (const [role, { userId }] of Object.entries(members))
    await owner.query('INSERT INTO organisation_members (org_id, user_id, role) VALUES ($1, $2, $3)', [
      orgId,
      userId,
      role,
    ]);
  return orgId;
}

/** Adds persons to an organisation as buyers. Returns their ids. */
export async function addMembers(
  { owner }: Pick<TestMarket, 'owner'>,
  orgId: string,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('usr'));
  await owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, email_confirmed_at)
     SELECT id, id || '@acme.example', '', 'Member', 'buyer', now() FROM unnest($1::text[]) id`,
    [ids],
  );
  await owner.query(
    `INSERT INTO organisation_members (org_id, user_id, role) SELECT $1, id, 'buyer' FROM unnest($2::text[]) id`,
    [orgId, ids],
  );
  return ids;
}

/** An organisation with credits, and a key that each of its members made for it. */
export async function companyWithKeys(
  market: Pick<TestMarket, 'owner'>,
  { members, credits }: { members: number; credits: number },
): Promise<{ orgId: string; keys: string[] }> {
  const { owner } = market;
  const first = newId('usr');
  await owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, email_confirmed_at)
     VALUES ($1, $1 || '@acme.example', '', 'Founder', 'buyer', now())`,
    [first],
  );
  const orgId = await organisation(market, { owner: { userId: first } });
  const makers = [first, ...(await addMembers(market, orgId, members - 1))];
  const keys = makers.map((userId) => ({ userId, keyId: newId('key'), key: newApiKey() }));
  await owner.query(
    `INSERT INTO api_keys (key_id, user_id, name, scopes, hint, created_by)
     SELECT k.id, $1, 'a key', '{agents:invoke}', k.hint, k.maker FROM unnest($2::text[], $3::text[], $4::text[]) k(id, hint, maker)`,
    [
      orgId,
      keys.map(({ keyId }) => keyId),
      keys.map(({ key }) => apiKeyHint(key)),
      keys.map(({ userId }) => userId),
    ],
  );
  await owner.query(
    'INSERT INTO api_key_secrets (sha256, key_id) SELECT s.sha256, s.id FROM unnest($1::bytea[], $2::text[]) s(sha256, id)',
    [keys.map(({ key }) => apiKeySha256(key)), keys.map(({ keyId }) => keyId)],
  );
  await topUp(owner, orgId, credits);
  return { orgId, keys: keys.map(({ key }) => key) };
}
