import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import type { Behaviour } from '../support/agents/behaviours';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { workflowOf } from '../support/calls/enrolled';
import {
  balance,
  eventually,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';

const CANARY = 'CANARY-7f3a';

let market: TestMarket;
let developer: TestUser;
let buyer: TestUser;
let agent: TestAgent;

beforeAll(async () => {
  // One process, so that every step runs where the body is.
  market = await startMarket({ operations: false, env: { ENROLMENT: 'confirmed' } });
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 10_000);
  agent = await startAgent();
});
afterAll(async () => {
  await agent.stop();
  await market.stop();
});

async function historyOf(invocationId: string, of: Pick<TestMarket, 'environment'> = market) {
  const handle = of.environment.client.workflow.getHandle(`invocation/${invocationId}`);
  await handle.result();
  return handle.fetchHistory();
}

async function call(behaviour: Behaviour, timeoutMs = 5_000): Promise<string> {
  agent.behave(behaviour);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 5, timeoutMs });
  const reply = await invoke(
    market,
    buyer,
    agentId,
    { input: { text: CANARY } },
    { 'idempotency-key': `${CANARY}-${agentId}` },
  );
  return reply.body.invocation_id ?? '';
}

type History = Awaited<ReturnType<typeof historyOf>>;

/** The local activities of a history, in order. */
function stepsOf(history: History): string[] {
  return (history.events ?? []).flatMap((event) => {
    const data = event.markerRecordedEventAttributes?.details?.['data']?.payloads?.[0]?.data;
    if (!data) return [];
    const { activity_type: step } = JSON.parse(Buffer.from(data).toString()) as { activity_type?: string };
    return step ? [step] : [];
  });
}

/** Everything that can be read in a history: every string, and every payload in clear. */
function readable(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value === null || typeof value !== 'object') return String(value);
  return Object.values(value).map(readable).join('\n');
}

describe('what an operator sees of a call in Temporal', () => {
  it.each<[string, Behaviour, string[], string]>([
    ['succeeded', { kind: 'echo' }, ['holdCredits', 'forwardCall', 'validateOutput', 'settle'], 'succeeded'],
    ['failed', { kind: 'status', status: 500 }, ['holdCredits', 'forwardCall', 'refund'], 'agent_error'],
    [
      'answered wrongly',
      { kind: 'wrong_shape' },
      // The settlement, which waits for the validation, appears as skipped.
      ['holdCredits', 'forwardCall', 'validateOutput', 'settle', 'refund'],
      'output_schema_mismatch',
    ],
  ])(
    'shows its steps by name when it %s, and no body, secret or endpoint',
    async (_name, behaviour, steps, outcome) => {
      const invocationId = await call(behaviour);
      const history = await historyOf(invocationId);
      expect(stepsOf(history).sort()).toEqual([...steps].sort());
      expect(stepsOf(history).at(-1)).toBe(steps.at(-1));
      const text = readable(history);
      for (const secret of [CANARY, 'whsec_', agent.url, '127.77.0', buyer.cookie.split('=')[1] ?? '?']) {
        expect(text).not.toContain(secret);
      }
      expect(text).toContain(outcome);
    },
  );

  it('finds calls by agent, buyer and outcome', async () => {
    const invocationId = await call({ kind: 'status', status: 503 });
    const { rows } = await market.owner.query<{ agent_id: string }>(
      'SELECT agent_id FROM invocations WHERE invocation_id = $1',
      [invocationId],
    );
    const { client } = market.environment;
    const query = `AgentId = "${rows[0]?.agent_id}" AND BuyerId = "${buyer.userId}" AND Outcome = "agent_error"`;
    await eventually(async () => {
      for await (const found of client.workflow.list({ query })) {
        return found.workflowId === `invocation/${invocationId}`;
      }
      return false;
    });
  });

  it('replays what it recorded', async () => {
    const histories = await Promise.all(
      [{ kind: 'echo' } as const, { kind: 'not_json' } as const].map(async (behaviour) => {
        const invocationId = await call(behaviour);
        return { workflowId: `invocation/${invocationId}`, history: await historyOf(invocationId) };
      }),
    );
    const codePath = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
    for await (const result of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
      expect(result.error).toBeUndefined();
    }
  });
});

it('gives each of some calls at once a workflow of its own with four steps, beside the steps', async () => {
  const env = { ENROLMENT: 'enrolled', OWN_WORKFLOWS_PER_SECOND: '20' };
  const enrolled = await startMarket({ operations: false, env });
  const seller = await register(enrolled, 'developer');
  const customer = await register(enrolled, 'buyer', 1_000);
  agent.behave({ kind: 'echo' });
  const { agentId } = await putLive(enrolled, seller.userId, agent.url, { credits: 10 });
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, n) => invoke(enrolled, customer, agentId, { input: { text: `${n}` } })),
  );
  const { client } = enrolled.environment;
  for (const { body } of replies) {
    const invocationId = body.invocation_id ?? '';
    expect(await workflowOf(client, invocationId)).toBe(`invocation/${invocationId}`);
    const steps = stepsOf(await historyOf(invocationId, enrolled));
    expect(steps.sort()).toEqual(['forwardCall', 'holdCredits', 'settle', 'validateOutput']);
  }
  expect(await balance(enrolled.owner, customer.userId, 'wallet')).toBe(92_000);
  await enrolled.stop();
});

describe.each(['confirmed', 'enrolled'])(
  'without eager workflow starts, any process may get the task (%s)',
  (ENROLMENT) => {
    it('does what needs the body in the process that has it, and charges once', async () => {
      const lazy = await startMarket({ env: { EAGER_START: 'false', ENROLMENT } });
      const seller = await register(lazy, 'developer');
      const customer = await register(lazy, 'buyer', 1_000);
      agent.behave({ kind: 'echo' });
      agent.forget();
      const { agentId } = await putLive(lazy, seller.userId, agent.url, { credits: 10, timeoutMs: 30_000 });
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, n) => invoke(lazy, customer, agentId, { input: { text: 'lazy', n } })),
      );
      expect(replies.map((reply) => reply.status)).toEqual(Array.from({ length: 30 }, () => 200));
      expect(agent.deliveries).toHaveLength(30);
      expect(await balance(lazy.owner, customer.userId, 'wallet')).toBe(70_000);
      const { client } = lazy.environment;
      if (ENROLMENT === 'enrolled') return lazy.stop();
      let atOwner = 0;
      for (const { body } of replies) {
        const history = await client.workflow.getHandle(`invocation/${body.invocation_id}`).fetchHistory();
        if (history.events?.some((event) => event.activityTaskScheduledEventAttributes)) atOwner += 1;
      }
      expect(atOwner).toBeGreaterThan(0);
      await lazy.stop();
    });
  },
);
