/**
 * What operators find without an id: accounts and agents by a part of their text, invoices by number, keys by their
 * end.
 */
import type { Db } from '../db';
import { type Subject, type SubjectRow, toSubject } from './subjects';

const MOST_FOUND = 10;
/** Accounts that have the same pairs of characters as the text are compared with it up to this number. */
const MOST_COMPARED = 1_000;

const TEXT = 'account_text(display_name, email, developer_id)';
const COLUMNS = `user_id AS id, user_id AS owner, NULL AS call, display_name || ' · ' || email AS title`;

/**
 * Finds accounts whose name, address or public id contains a text, without regard to case, at most ten: those that are
 * the text first, then the newest. The index over pairs of characters answers it.
 */
export async function findAccountsByPart(db: Db, part: string): Promise<Subject[]> {
  const { rows } = await db.query<SubjectRow>(
    `WITH wanted AS (SELECT normalize(lower($1), NFKC) AS part),
          near AS MATERIALIZED (
            SELECT user_id, email, display_name, developer_id, ${TEXT} AS found FROM users
             WHERE text_grams(${TEXT}) @> text_grams(normalize(lower($1), NFKC)) LIMIT ${MOST_COMPARED})
     SELECT ${COLUMNS} FROM near, wanted WHERE strpos(found, part) > 0
      ORDER BY part IN (lower(email), lower(display_name), developer_id) DESC NULLS LAST, user_id DESC LIMIT ${MOST_FOUND}`,
    [part],
  );
  return rows.map(toSubject('account'));
}

/** Finds agents whose name contains a text, at most ten: those with exactly this name first, then the newest. */
export async function findAgentsByPart(db: Db, part: string): Promise<Subject[]> {
  const { rows } = await db.query<SubjectRow>(
    `WITH wanted AS (SELECT normalize(lower($1), NFKC) AS part),
          near AS MATERIALIZED (
            SELECT version_id, agent_id, display_name FROM agent_versions
             WHERE search_grams @> text_grams(normalize(lower($1), NFKC)) LIMIT ${MOST_COMPARED})
     SELECT a.agent_id AS id, a.developer_user_id AS owner, NULL AS call, near.display_name AS title
       FROM near JOIN agents a ON a.serving_version_id = near.version_id, wanted
      WHERE strpos(normalize(lower(near.display_name), NFKC), part) > 0
      ORDER BY normalize(lower(near.display_name), NFKC) = part DESC, a.created_at DESC, a.agent_id LIMIT ${MOST_FOUND}`,
    [part],
  );
  return rows.map(toSubject('agent'));
}

/** Invoices with their credit and debit notes. */
const PAPERS = `(SELECT number, series, series_no, user_id FROM invoices
       UNION ALL SELECT number, series, series_no, user_id FROM invoice_notes)`;

/** Finds the account of an invoice or a note by its number, without regard to case. */
export async function findByInvoiceNumber(db: Db, number: string): Promise<Subject[]> {
  const { rows } = await db.query<SubjectRow>(
    `SELECT u.user_id AS id, u.user_id AS owner, NULL AS call, i.number || ' · ' || u.email AS title
       FROM ${PAPERS} i JOIN users u ON u.user_id = i.user_id WHERE i.number = upper($1)`,
    [number],
  );
  return rows.map(toSubject('account'));
}

/**
 * Finds the accounts of invoices and notes whose number ends with a text that ends with the number `no` in its series,
 * such as `2026-000004`; those of the newest series first, at most ten. There are a few series a year.
 */
export async function findByInvoiceEnd(db: Db, end: string, no: number): Promise<Subject[]> {
  const { rows } = await db.query<SubjectRow>(
    `SELECT u.user_id AS id, u.user_id AS owner, NULL AS call, i.number || ' · ' || u.email AS title
       FROM invoice_series s JOIN ${PAPERS} i ON i.series = s.series AND i.series_no = $2
       JOIN users u ON u.user_id = i.user_id
      WHERE right(i.number, length($1)) = upper($1) ORDER BY right(s.series, 4) DESC, s.series LIMIT ${MOST_FOUND}`,
    [end, no],
  );
  return rows.map(toSubject('account'));
}

/** Finds the accounts of the API keys that end with these four characters, those in use first; at most ten. */
export async function findByKeyEnd(db: Db, end: string): Promise<Subject[]> {
  const { rows } = await db.query<SubjectRow>(
    `SELECT DISTINCT ON (k.user_id) u.user_id AS id, u.user_id AS owner, NULL AS call,
            'key …' || k.hint || CASE WHEN k.deleted_at IS NULL THEN '' ELSE ' (deleted)' END || ' · ' || u.email AS title
       FROM (SELECT user_id, hint, deleted_at FROM api_keys WHERE hint = $1 LIMIT ${MOST_COMPARED}) k
       JOIN users u ON u.user_id = k.user_id ORDER BY k.user_id, k.deleted_at IS NOT NULL LIMIT ${MOST_FOUND}`,
    [end],
  );
  return rows.map(toSubject('account'));
}
