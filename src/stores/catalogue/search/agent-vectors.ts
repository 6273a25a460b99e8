/** Vectors of the texts of agents (`migrations/0105_agent_vectors.sql`). */
import type { Db } from '../../db';

export interface DueText {
  agentId: string;
  text: string;
  /** Identifies the claim. */
  dueAt: string;
}

/** Models take about 8,000 tokens, and a character may be one or two. */
const MOST_CHARACTERS = 4_000;

/** Claims texts that have no vector yet or have changed; they are due again in five minutes unless it is stored. */
export async function claimDueTexts(db: Db, most: number): Promise<DueText[]> {
  const { rows } = await db.query<{ agent_id: string; text: string; due_at: string }>(
    `WITH claimed AS (
       UPDATE agent_vectors SET due_at = now() + interval '5 minutes' WHERE agent_id IN (
         SELECT agent_id FROM agent_vectors WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING agent_id, due_at)
     SELECT c.agent_id, c.due_at::text, left(concat_ws(E'\\n', v.display_name, words(v.tags), v.description, t.names, t.texts), $2) AS text
       FROM claimed c JOIN agents a USING (agent_id) JOIN agent_versions v ON v.version_id = a.serving_version_id
       LEFT JOIN version_tools t ON t.version_id = v.version_id`,
    [most, MOST_CHARACTERS],
  );
  return rows.map(({ agent_id: agentId, text, due_at: dueAt }) => ({ agentId, text, dueAt }));
}

/** Stores the vector of a claimed text, unless the text has changed since. */
export async function putVector(
  db: Db,
  { agentId, dueAt }: DueText,
  { model, vector }: { model: string; vector: Int8Array },
): Promise<void> {
  await db.query(
    `UPDATE agent_vectors SET model = $3, vector = $4, due_at = NULL WHERE agent_id = $1 AND due_at = $2::timestamptz`,
    [agentId, dueAt, model, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)],
  );
}

/** Makes the vectors of other models due again. */
export async function renewOtherModels(db: Db, model: string): Promise<void> {
  await db.query('UPDATE agent_vectors SET due_at = now() WHERE due_at IS NULL AND model <> $1', [model]);
}
