/** Rules of organisations for the calls that they pay (`migrations/0165_organisation_rules.sql`). */
import { type Db, onlyRow } from '../db';

export interface OrganisationRules {
  /** The lowest trust score of an agent; null: any. */
  leastTrust: number | null;
  /** With `developers`: the only agents that may be called. Both null: all agents. */
  agents: string[] | null;
  /** Ids of developers, `dev_…`. */
  developers: string[] | null;
}

/** Null removes a rule; members that are left out stay as they are. `developers`: ids of their accounts. */
export interface RulesChange {
  leastTrust?: number | null | undefined;
  agents?: readonly string[] | null | undefined;
  developers?: readonly string[] | null | undefined;
}

export async function readRules(db: Db, orgId: string): Promise<OrganisationRules> {
  const { rows } = await db.query<OrganisationRules>(
    `SELECT r.least_trust AS "leastTrust",
            (SELECT array_agg(l.allowed_id ORDER BY l.allowed_id) FROM organisation_allowed l
              WHERE l.org_id = r.org_id AND starts_with(l.allowed_id, 'agt_')) AS agents,
            (SELECT array_agg(coalesce(u.developer_id, u.user_id) ORDER BY u.developer_id)
               FROM organisation_allowed l JOIN users u ON u.user_id = l.allowed_id WHERE l.org_id = r.org_id) AS developers
       FROM organisation_rules r WHERE r.org_id = $1`,
    [orgId],
  );
  return rows[0] ?? { leastTrust: null, agents: null, developers: null };
}

/** Changes the rules, from the next call on. Returns how many agents and developers are listed then. */
export async function changeRules(tx: Db, orgId: string, change: RulesChange): Promise<number> {
  const { leastTrust, agents, developers } = change;
  const json = JSON.stringify({ least_trust: leastTrust, agents, developers });
  const { listed } = onlyRow(
    await tx.query<{ listed: number }>('SELECT organisation_rules_change($1, $2) AS listed', [orgId, json]),
  );
  return listed;
}

/** The accounts of developers by their ids; unknown ids are left out. */
export async function developerAccounts(
  db: Db,
  developerIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ developer_id: string; user_id: string }>(
    'SELECT developer_id, user_id FROM users WHERE developer_id = ANY ($1)',
    [developerIds],
  );
  return new Map(rows.map((row) => [row.developer_id, row.user_id]));
}
