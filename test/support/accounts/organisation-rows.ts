/** Organisations of tests, written as rows. */
import type { MemberRole } from '../../../src/domain/accounts/roles';
import { newId } from '../../../src/kit/ids/ids';
import type { TestMarket, TestUser } from '../market';

/** An organisation with one member of each of the given roles. Returns its id. */
export async function organisation(
  { owner }: Pick<TestMarket, 'owner'>,
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
