/** What members changed for their organisation (`organisation_actions`). */
import type { Db } from '../db';

export interface LogEntry {
  entryId: string;
  orgId: string;
  /** Null for a key of the organisation itself. */
  person: string | null;
  /** The key that was used; null for a session. */
  keyId: string | null;
  /** The id of the operation in the OpenAPI document. */
  action: string;
  /** Ids in the path of the request. */
  subject: string;
  /** The network of the client, such as 192.0.2.0/24; null once the account of the person was deleted. */
  network: string | null;
  userAgent: string | null;
  traceId: string;
}

export type LoggedEntry = LogEntry & {
  createdAt: Date;
  /** `done`, or the code of the error; null while it runs, and if the process ended before. */
  outcome: string | null;
  name: string | null;
  email: string | null;
};

/** Returns false if there is no such organisation, or if the person is no member of it: then nothing is noted. */
export async function insertLogEntry(db: Db, entry: LogEntry): Promise<boolean> {
  const { entryId, orgId, person, keyId, action, subject, network, userAgent, traceId } = entry;
  const { rowCount } = await db.query({
    name: 'organisation-action',
    text: `INSERT INTO organisation_actions (entry_id, org_id, person, key_id, action, subject, network, user_agent, trace_id)
           SELECT $1, o.org_id, $3, $4, $5, $6, $7, $8, $9 FROM organisations o WHERE o.org_id = $2 AND ($3::text IS NULL OR EXISTS (
             SELECT FROM organisation_members m WHERE m.org_id = $2 AND m.user_id = $3))`,
    values: [
      entryId,
      orgId,
      person,
      keyId,
      action,
      subject.slice(0, 200),
      network,
      userAgent?.slice(0, 200) ?? null,
      traceId,
    ],
  });
  return rowCount === 1;
}

export async function setOutcome(db: Db, entryId: string, outcome: string): Promise<void> {
  await db.query({
    name: 'organisation-action-outcome',
    text: 'UPDATE organisation_actions SET outcome = $2 WHERE entry_id = $1',
    values: [entryId, outcome],
  });
}

/** Which entries are listed; undefined for any. */
export interface LogFilter {
  person?: string | undefined;
  action?: string | undefined;
  /** Inclusive, and exclusive. */
  since?: Date | undefined;
  until?: Date | undefined;
}

export interface LogPage extends LogFilter {
  limit: number;
  beforeId: string | undefined;
}

/**
 * The newest entries first. The order begins with the organisation, and with what is filtered, so that the plan follows
 * an index of the organisation: that of all entries would read those of other organisations first.
 */
export async function listLog(db: Db, orgId: string, page: LogPage): Promise<LoggedEntry[]> {
  const { person, action, since, until, beforeId, limit } = page;
  const values: unknown[] = [orgId, limit];
  const conditions = ['org_id = ANY (ARRAY[$1])'];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(condition.replace('?', `$${values.push(value)}`));
  };
  add('person = ANY (ARRAY[?])', person);
  add('action = ANY (ARRAY[?])', action);
  add('created_at >= ?', since);
  add('created_at < ?', until);
  add('entry_id < ?', beforeId);
  add('entry_id >= ?', since && idAt(since.getTime() - ID_SLACK_MS));
  add('entry_id < ?', until && idAt(until.getTime() + ID_SLACK_MS));
  const column = person !== undefined ? 'person,' : action !== undefined ? 'action,' : '';
  const { rows } = await db.query<LoggedEntry>(
    `SELECT l.entry_id AS "entryId", l.org_id AS "orgId", l.person, l.key_id AS "keyId", l.action, l.subject, l.network,
            l.user_agent AS "userAgent", l.trace_id AS "traceId", l.outcome, l.created_at AS "createdAt",
            u.display_name AS name, u.email
       FROM (SELECT * FROM organisation_actions WHERE ${conditions.join(' AND ')}
              ORDER BY org_id, ${column} entry_id DESC LIMIT $2) l LEFT JOIN users u ON u.user_id = l.person
      ORDER BY l.entry_id DESC`,
    values,
  );
  return rows;
}

/** Ids are made before the database notes the time, by another clock. */
const ID_SLACK_MS = 10 * 60_000;

/** The least id of a moment: ids begin with their milliseconds. */
const idAt = (ms: number): string => `oac_${Math.max(0, ms).toString(16).padStart(12, '0')}`;
