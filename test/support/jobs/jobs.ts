import type { Client } from 'pg';
import { jobContext } from '../../../src/services/calls/agent/job-acceptance';
import { eventually, invoke, type TestMarket, type TestUser } from '../market';

/** The row of a job; undefined if the agent has not accepted the call. */
export async function jobOf(
  owner: Client,
  invocationId: string,
): Promise<{ location: Buffer | null; progress: number | null; ended_at: Date | null } | undefined> {
  const { rows } = await owner.query<{
    location: Buffer | null;
    progress: number | null;
    ended_at: Date | null;
  }>('SELECT location, progress, ended_at FROM jobs WHERE invocation_id = $1', [invocationId]);
  return rows[0];
}

let ends = 0;

/** What a callback of the agent writes. Returns its outcome. The workflow is woken by the loop. */
export async function addJobEnd(
  { owner, container }: Pick<TestMarket, 'owner' | 'container'>,
  invocationId: string,
  kind: 'answer' | 'failure',
  content: unknown,
): Promise<string | undefined> {
  const text = kind === 'answer' ? JSON.stringify(content) : String(content);
  const sealed = await container.cipher.seal(Buffer.from(text), jobContext(invocationId));
  ends += 1;
  const { rows } = await owner.query<{ outcome: string }>('SELECT job_end_add($1, $2, $3, $4) AS outcome', [
    invocationId,
    `msg_${ends}`,
    kind,
    sealed,
  ]);
  await owner.query('UPDATE jobs SET look_at = now() WHERE invocation_id = $1 AND ended_at IS NULL', [
    invocationId,
  ]);
  return rows[0]?.outcome;
}

/** A job that its agent answers with `{"text": "done"}` after so many hours. Returns the id of the call. */
export async function endedJob(
  market: TestMarket,
  buyer: TestUser,
  agentId: string,
  hours: number,
): Promise<string> {
  const begun = await invoke(market, buyer, agentId, { input: { text: 'x' } }, { prefer: 'respond-async' });
  const id = begun.body.invocation_id ?? '';
  await eventually(async () => (await jobOf(market.owner, id)) !== undefined);
  await market.owner.query(
    `UPDATE jobs SET taken_at = taken_at - $2 * interval '1 hour' WHERE invocation_id = $1`,
    [id, hours],
  );
  await addJobEnd(market, id, 'answer', { text: 'done' });
  const ended = await fetch(`${market.url}/v1/invocations/${id}?wait=30`, {
    headers: { cookie: buyer.cookie },
  });
  const { status } = (await ended.json()) as { status: string };
  if (status !== 'succeeded') throw new Error(`the job is ${status}`);
  return id;
}
