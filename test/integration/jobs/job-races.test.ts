/**
 * Ends of a job that come at the same time: each job ends once, its money agrees with its state, and a callback or an
 * answer that was accepted counts.
 */
import { startAgent } from '../../support/agents/test-agent';
import { request } from '../../support/catalogue/publishing';
import { dispute } from '../../support/disputes/disputes';
import { answersOf, callBack, type JobAgent, newJobAgent } from '../../support/jobs/question-agent';
import { jobOf } from '../../support/jobs/jobs';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { useScene } from '../../support/use-market';
import { realTime } from '../../support/waits';

interface Call {
  status: string;
  error: { code: string } | null;
  usage: { credits_charged: number };
}

const scene = useScene();
let buyer: TestUser;
let job: JobAgent;

beforeAll(async () => {
  job = await newJobAgent(scene.market, scene.developer.userId, {});
});
beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 1_000);
});
afterAll(async () => {
  await job.agent.stop();
  await expectWholeLedger(scene.market);
});

const path = (id: string) => `/v1/invocations/${id}`;
const read = async (id: string, wait = 30) =>
  (await request<Call>(scene.market, buyer, 'GET', `${path(id)}?wait=${wait}`)).body;
/** Repeated while the service is overloaded, as clients do. */
const cancel = async (id: string): Promise<number> => {
  const { status } = await request(scene.market, buyer, 'DELETE', path(id));
  return status === 503 ? cancel(id) : status;
};
const end = async (id: string, type: string) => {
  const more = type === 'answer' ? { output: { text: 'done' } } : {};
  return (await callBack(scene.market, job, id, { type, ...more })).status;
};
const give = async (id: string, format = 'pdf') => {
  const body = { question_id: 'q', input: { format } };
  return (await request(scene.market, buyer, 'POST', `${path(id)}/input`, body)).status;
};

/** Jobs that run. */
async function begin(count: number, agentId = job.agentId): Promise<string[]> {
  const begun = Array.from({ length: count }, () =>
    invoke(scene.market, buyer, agentId, { input: { text: 'x' } }, { prefer: 'respond-async' }),
  );
  const ids = (await Promise.all(begun)).map(({ body }) => String(body.invocation_id));
  await eventually(async () => {
    const jobs = await Promise.all(ids.map((id) => jobOf(scene.market.owner, id)));
    return jobs.every((each) => each !== undefined);
  }, 30_000);
  return ids;
}

/** The same, each with the open question `q`. */
async function asking(count: number): Promise<string[]> {
  const ids = await begin(count);
  const schema = { type: 'object', properties: { format: { type: 'string' } } };
  const question = { type: 'question', question_id: 'q', prompt: 'Which format?', schema };
  for (const id of ids) expect((await callBack(scene.market, job, id, question)).status).toBe(202);
  return ids;
}

/** Runs both: the first one first, the second one first, or at once. */
async function race<A, B>(round: number, a: () => Promise<A>, b: () => Promise<B>): Promise<[A, B]> {
  if (round % 3 === 0) return [await a(), await b()];
  if (round % 3 === 2) return Promise.all([a(), b()]);
  const second = await b();
  return [await a(), second];
}

/** One event of its end, and no other money than its state says. */
async function expectOneEnd(ids: readonly string[], paid: number): Promise<void> {
  const { rows } = await scene.market.owner.query(
    `SELECT task_id, count(*)::integer AS ends FROM a2a_task_events WHERE task_id = ANY ($1) AND state NOT IN ('SUBMITTED', 'WORKING')
       GROUP BY task_id HAVING count(*) > 0`,
    [ids],
  );
  expect(rows.map((row: { ends: number }) => row.ends)).toEqual(ids.map(() => 1));
  expect(await balance(scene.market.owner, buyer.userId, 'escrow')).toBe(0);
  expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(100_000 - paid * 1_000);
}

it('counts an answer or a cancellation, never both and never none', async () => {
  const ids = await begin(12);
  const outcomes = await Promise.all(
    ids.map(async (id, round) => {
      const [answered, canceled] = await race(
        round,
        () => end(id, 'answer'),
        () => cancel(id),
      );
      const { status, error, usage } = await read(id);
      return [answered, canceled, status, error?.code, usage.credits_charged].join(' ');
    }),
  );
  const counted = outcomes.filter((outcome) => outcome === '202 409 succeeded  10').length;
  expect(outcomes.filter((outcome) => outcome !== '202 409 succeeded  10')).toEqual(
    Array.from({ length: 12 - counted }, () => '409 200 failed canceled 0'),
  );
  expect(counted).toBeGreaterThanOrEqual(4);
  await expectOneEnd(ids, counted);
});

it('counts an answer that is called back while the agent is asked, whatever it says then', async () => {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  const agent = await startAgent({
    behaviour: ({ method }) =>
      method === 'GET'
        ? { kind: 'waits', until, then: { kind: 'status', status: 500 } }
        : { kind: 'answer', status: 202, output: {}, headers: { location: '/jobs/1', 'retry-after': '1' } },
  });
  const live = await putLive(scene.market, scene.developer.userId, agent.url, { jobs: { max_seconds: 600 } });
  const [id = ''] = await begin(1, live.agentId);
  await agent.waitForDeliveries(2);
  const answer = { type: 'answer', output: { text: 'done' } };
  expect((await callBack(scene.market, live, id, answer)).status).toBe(202);
  release();
  expect((await read(id)).status).toBe('succeeded');
  await agent.stop();
});

it('counts what is called back before a 202 that is lost', async () => {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  const agent = await startAgent({
    behaviour: ({ body }) =>
      body.includes('"question_id"')
        ? { kind: 'status', status: 204 }
        : { kind: 'waits', until, then: { kind: 'dies_before_answer' } },
  });
  const live = await putLive(scene.market, scene.developer.userId, agent.url, { jobs: { max_seconds: 600 } });
  const prefer = { prefer: 'respond-async' };
  const started = ['answer', 'failure', 'question', 'nothing'].map(async (type) => {
    const { body } = await invoke(scene.market, buyer, live.agentId, { input: { text: type } }, prefer);
    return String(body.invocation_id);
  });
  const [answered = '', failed = '', asked = '', silent = ''] = await Promise.all(started);
  await agent.waitForDeliveries(4);
  const says = async (id: string, message: object) =>
    (await callBack(scene.market, live, id, message)).status;
  expect(await says(answered, { type: 'answer', output: { text: 'done' } })).toBe(202);
  expect(await says(failed, { type: 'failure', message: 'no source' })).toBe(202);
  const schema = { type: 'object', properties: { format: { type: 'string' } } };
  const question = { type: 'question', question_id: 'q', prompt: 'Which format?', schema };
  expect(await says(asked, question)).toBe(202);
  release();
  expect((await read(answered)).status).toBe('succeeded');
  expect((await read(failed)).error?.code).toBe('agent_error');
  expect((await read(silent)).error?.code).toBe('agent_unreachable');
  await eventually(async () => (await jobOf(scene.market.owner, asked)) !== undefined);
  expect(await give(asked)).toBe(200);
  expect(await says(asked, { type: 'answer', output: { text: 'done' } })).toBe(202);
  expect((await read(asked)).status).toBe('succeeded');
  await agent.stop();
});

it('counts a failure or a cancellation', async () => {
  const ids = await begin(6);
  const outcomes = await Promise.all(
    ids.map(async (id, round) => {
      const [failed, canceled] = await race(
        round,
        () => end(id, 'failure'),
        () => cancel(id),
      );
      return [failed, canceled, (await read(id)).error?.code].join(' ');
    }),
  );
  for (const outcome of outcomes) expect(['202 409 agent_error', '409 200 canceled']).toContain(outcome);
  await expectOneEnd(ids, 0);
});

it('counts an answer or a dispute, which refunds a call that runs', async () => {
  const ids = await begin(6);
  const outcomes = await Promise.all(
    ids.map(async (id, round) => {
      const [answered, disputed] = await race(
        round,
        () => end(id, 'answer'),
        async () => (await dispute(scene.market, buyer, id)).status,
      );
      const { status, usage } = await read(id);
      return [answered, disputed, status, usage.credits_charged].join(' ');
    }),
  );
  // An answer that was settled before can be disputed, and then costs until the case is decided.
  const allowed = ['202 409 succeeded 10', '202 201 disputed 10', '409 201 disputed 0'];
  for (const outcome of outcomes) expect(allowed).toContain(outcome);
  await expectOneEnd(ids, outcomes.filter((outcome) => outcome.startsWith('202')).length);
});

it('keeps the hold of a job whose answer was accepted until it is settled', async () => {
  const { owner } = scene.market;
  const [id = ''] = await begin(1);
  await owner.query('BEGIN');
  try {
    const over = `UPDATE holds SET lease_until = now() - interval '1 second' WHERE invocation_id = $1`;
    await owner.query(over, [id]);
    await owner.query(`SELECT job_end_add($1, 'msg_1', 'answer', '')`, [id]);
    const { rows } = await owner.query('SELECT invocation_sweep(60000, $1)', [[id]]);
    expect(rows).toEqual([]);
  } finally {
    await owner.query('ROLLBACK');
  }
  expect(await cancel(id)).toBe(200);
});

it('does not give up a job whose agent has reported, or whose buyer has answered, in the same moment', async () => {
  const { owner } = scene.market;
  const [silent = '', late = '', asked = ''] = [...(await begin(2)), ...(await asking(1))];
  const giveUp = async (id: string) =>
    (await owner.query<{ decided: boolean }>('SELECT job_give_up($1) AS decided', [id])).rows[0]?.decided;
  // A look has read that each of them is over, and decides only after what follows.
  await owner.query(`UPDATE jobs SET heard_at = now() - interval '1 hour' WHERE invocation_id = $1`, [
    silent,
  ]);
  expect((await callBack(scene.market, job, silent, { type: 'progress', progress: 0.5 })).status).toBe(202);
  expect(await giveUp(silent)).toBe(false);
  expect(await give(asked)).toBe(200);
  expect(await giveUp(asked)).toBe(false);
  await owner.query(`UPDATE jobs SET ends_at = now() WHERE invocation_id = $1`, [late]);
  expect(await giveUp(late)).toBe(true);
  expect(await end(late, 'answer')).toBe(409);
  for (const id of [silent, asked]) expect(await end(id, 'answer')).toBe(202);
  for (const id of [silent, asked]) expect((await read(id)).status).toBe('succeeded');
  await owner.query('UPDATE jobs SET look_at = now() WHERE invocation_id = $1', [late]);
  expect((await read(late)).error?.code).toBe('agent_error');
});

describe("the buyer's answer to a question", () => {
  it('counts once, is delivered once, and does not outlive a cancellation', async () => {
    const ids = await asking(9);
    const before = answersOf(job.agent).length;
    const gave = await Promise.all(
      ids.map(async (id, round) => {
        const second = round < 6 ? () => give(id, 'html') : () => cancel(id);
        const statuses = await race(round, () => give(id), second);
        return { id, round, statuses: statuses.join(' ') };
      }),
    );
    for (const { round, statuses } of gave)
      expect(round < 6 ? ['200 409', '409 200'] : ['200 200', '409 200']).toContain(statuses);
    await eventually(() => answersOf(job.agent).length >= before + 6);
    for (const { id, round } of gave) {
      if (round < 6) expect(await end(id, 'answer')).toBe(202);
      expect((await read(id)).error?.code).toBe(round < 6 ? undefined : 'canceled');
      const delivered = answersOf(job.agent).filter(({ json }) => JSON.stringify(json).includes(id));
      expect(delivered.length).toBe(round < 6 ? 1 : Math.min(delivered.length, 1));
    }
    await expectOneEnd(ids, 6);
  });

  it('counts, or the time for it is over', async () => {
    const { owner, environment } = scene.market;
    const ids = await asking(8);
    await owner.query(
      `UPDATE job_questions SET expires_at = now() + interval '600 ms' WHERE invocation_id = ANY ($1)`,
      [ids],
    );
    const started = Date.now();
    const { workflow } = environment.client;
    await Promise.all(ids.map((id) => workflow.getHandle(`invocation/${id}`).signal('look')));
    const outcomes = await Promise.all(
      ids.map(async (id, round) => {
        await realTime(started + 520 + round * 20 - Date.now(), 'the time of the question is over meanwhile');
        const given = await give(id);
        if (given === 200) expect(await end(id, 'answer')).toBe(202);
        return `${given} ${(await read(id)).error?.code}`;
      }),
    );
    for (const outcome of outcomes) expect(['200 undefined', '409 canceled']).toContain(outcome);
    await expectOneEnd(ids, outcomes.filter((outcome) => outcome.startsWith('200')).length);
  });
});
