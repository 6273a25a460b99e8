/** Push notification endpoints of tasks (`migrations/0006_a2a.sql`). The caller's data is encrypted. */
import type { Db } from '../db';

export interface PushRow {
  endpointId: string;
  taskId: string;
  configId: string;
  /** Sealed; the context is `pushContext(endpointId)`. */
  sealed: Buffer;
  disabled: boolean;
}

interface RawPush {
  endpoint_id: string;
  task_id: string;
  config_id: string;
  sealed: Buffer;
  disabled: boolean;
}

const COLUMNS = 'endpoint_id, task_id, config_id, sealed, disabled_at IS NOT NULL AS disabled';

/** Locks the push endpoints of a task until the transaction ends. Returns how many it has besides `configId`. */
export async function lockAndCountPush(tx: Db, taskId: string, configId: string): Promise<number> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('a2a-push/' || $1, 0))`, [taskId]);
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM a2a_push_configs WHERE task_id = $1 AND config_id <> $2',
    [taskId, configId],
  );
  return rows[0]?.count ?? 0;
}

/** Stores an endpoint and replaces the one with the same name. */
export async function putPush(db: Db, row: Omit<PushRow, 'disabled'>): Promise<void> {
  await db.query('DELETE FROM a2a_push_configs WHERE task_id = $1 AND config_id = $2', [
    row.taskId,
    row.configId,
  ]);
  await db.query(
    'INSERT INTO a2a_push_configs (endpoint_id, task_id, config_id, sealed) VALUES ($1, $2, $3, $4)',
    [row.endpointId, row.taskId, row.configId, row.sealed],
  );
}

export async function listPush(db: Db, taskId: string): Promise<PushRow[]> {
  const { rows } = await db.query<RawPush>(
    `SELECT ${COLUMNS} FROM a2a_push_configs WHERE task_id = $1 ORDER BY endpoint_id`,
    [taskId],
  );
  return rows.map(toRow);
}

export async function readPush(db: Db, endpointId: string): Promise<PushRow | undefined> {
  const { rows } = await db.query<RawPush>(`SELECT ${COLUMNS} FROM a2a_push_configs WHERE endpoint_id = $1`, [
    endpointId,
  ]);
  return rows[0] && toRow(rows[0]);
}

/** Returns true if an endpoint was deleted. */
export async function deletePush(db: Db, taskId: string, configId: string): Promise<boolean> {
  const { rowCount } = await db.query('DELETE FROM a2a_push_configs WHERE task_id = $1 AND config_id = $2', [
    taskId,
    configId,
  ]);
  return rowCount === 1;
}

export async function disablePush(db: Db, endpointId: string): Promise<void> {
  await db.query('UPDATE a2a_push_configs SET disabled_at = now() WHERE endpoint_id = $1', [endpointId]);
}

function toRow(row: RawPush): PushRow {
  return {
    endpointId: row.endpoint_id,
    taskId: row.task_id,
    configId: row.config_id,
    sealed: row.sealed,
    disabled: row.disabled,
  };
}
