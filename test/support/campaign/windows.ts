/** The moments of a call and around it that kills must have met. */
import type { Told } from './client';
import { type Ground, SETTLING } from './ground';

export const WINDOWS = [
  'after the hold',
  "during the agent's call",
  'after the answer, before the settle',
  'inside the settle transaction',
  'after the commit, before the reply',
  'during a stream',
  'while a job runs',
  'during a webhook',
  'during a rotation',
] as const;
export type Window = (typeof WINDOWS)[number];
export type Counts = Record<Window, number>;

export const noCounts = (): Counts => Object.fromEntries(WINDOWS.map((name) => [name, 0])) as Counts;

/** Looks which windows are open, just before a kill. What cannot be seen from outside is counted afterwards. */
export async function openWindows(ground: Ground, isRotating: boolean): Promise<Window[]> {
  const open: Window[] = [];
  const { recorder, hook, stack } = ground;
  const running = recorder.deliveries.filter(({ closedAt }) => closedAt === undefined);
  if (running.length > 0) open.push("during the agent's call");
  if (running.some(({ path }) => path.startsWith('/chat'))) open.push('during a stream');
  if (hook.open > 0) open.push('during a webhook');
  if (isRotating) open.push('during a rotation');
  const answered = recorder.deliveries.filter((delivery) => delivery.answered).slice(-200);
  const found = await stack.owner
    .query<{ held: boolean; settling: boolean; answered: boolean; jobs: boolean }>(
      `SELECT EXISTS (SELECT FROM holds WHERE state = 'open' AND forwarded_at IS NULL) AS held,
         EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${SETTLING.space}) AS settling,
         EXISTS (SELECT FROM jobs WHERE ended_at IS NULL) AS jobs,
         EXISTS (SELECT FROM holds WHERE state = 'open' AND invocation_id = ANY($1)
           AND NOT EXISTS (SELECT FROM jobs j WHERE j.invocation_id = holds.invocation_id)) AS answered`,
      [answered.map(({ invocationId }) => invocationId)],
    )
    .catch(() => undefined);
  const row = found?.rows[0];
  if (row?.held) open.push('after the hold');
  if (row?.settling) open.push('inside the settle transaction');
  if (row?.answered) open.push('after the answer, before the settle');
  if (row?.jobs) open.push('while a job runs');
  return open;
}

/** Kills of an API process that met calls which were settled and not yet answered for. */
export async function countLostReplies(
  ground: Ground,
  told: readonly Told[],
  kills: readonly { at: number }[],
): Promise<number> {
  const { rows } = await ground.stack.owner.query<{ id: string; at: number }>(
    `SELECT invocation_id AS id, extract(epoch FROM settled_at)::float8 * 1000 AS at FROM invocations
      WHERE status IN ('succeeded', 'disputed')`,
  );
  const settled = new Map(rows.map(({ id, at }) => [id, at]));
  const lost = told.filter(({ invocationId, startedAt, endedAt }) => {
    const at = settled.get(invocationId ?? '');
    return at !== undefined && kills.some((kill) => kill.at >= at && kill.at < endedAt && at > startedAt);
  });
  return lost.length;
}
