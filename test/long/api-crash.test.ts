/**
 * kill -9 of the API process in the middle of 20 streams, and of two API processes while they get duplicates of one
 * call. Afterwards no credit may be lost, doubled or stuck.
 */
import { type BehaviourChoice, eventStream } from '../support/agents/behaviours';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { chat, CHAT_SCHEMAS, type ChatEvent, TURN } from '../support/calls/chat';
import { expectStackLedger, openCalls } from '../support/crash/books';
import { few } from '../support/ledger/counts';
import {
  balance,
  eventually,
  invoke,
  putLive,
  register,
  type InvokeReply,
  type TestUser,
} from '../support/market';
import {
  startProcessStack,
  type ProcessStack,
  type ServiceProcess,
  untilServing,
} from '../support/stack/process-stack';
import { realTime } from '../support/waits';

/** The promise: this long after everything is back, nothing is open. */
const HEAL_MS = 30_000;

jest.setTimeout(240_000);

let stack: ProcessStack;
let api: ServiceProcess;

beforeAll(async () => {
  stack = await startProcessStack();
  api = await stack.addProcess('api');
  await stack.addProcess('worker');
  await untilServing(api);
});
afterAll(() => stack.stop());

const market = () => ({ url: api.url, owner: stack.owner, container: stack.container as never });

describe('kill -9 of the API process in the middle of 20 streams', () => {
  const STREAMS = 20;
  let streaming: TestAgent;
  let reader: TestUser;
  let chatId: string;

  beforeAll(async () => {
    const words = Array.from({ length: 200 }, () => 'word ');
    streaming = await startAgent({ behaviour: eventStream(words, 100), host: '127.77.0.2' });
    reader = await register(market(), 'buyer', 1_000);
  });
  afterAll(() => streaming.stop());

  it('refunds all 20 and leaves none stuck', async () => {
    const developer = await register(market(), 'developer');
    ({ agentId: chatId } = await putLive(market(), developer.userId, streaming.url, {
      credits: 5,
      timeoutMs: 30_000,
      ...CHAT_SCHEMAS,
    }));
    const seen = Array.from({ length: STREAMS }, (): ChatEvent[] => []);
    const turns = seen.map((events, n) =>
      chat(
        api,
        reader,
        chatId,
        { ...TURN, idempotency_key: `stream-${n}` },
        { onEvent: (event) => void events.push(event) },
      ),
    );
    const outcomes = Promise.allSettled(turns);
    await eventually(() => Promise.resolve(seen.every((events) => events.length > 2)), 20_000);
    expect(await balance(stack.owner, reader.userId, 'escrow')).toBe(STREAMS * 500);
    await api.kill();
    expect((await outcomes).map(({ status }) => status)).toEqual(
      Array.from({ length: STREAMS }, () => 'rejected'),
    );
    expect(seen.flat().filter(({ type }) => type !== 'output_chunk')).toEqual([]);
    await eventually(async () => (await streaming.openConnections()) === 0);
    await api.start();
    await eventually(async () => (await openCalls(stack)) === 0, HEAL_MS);
    expect(await balance(stack.owner, reader.userId, 'wallet')).toBe(100_000);
    expect(await balance(stack.owner, reader.userId, 'escrow')).toBe(0);
    expect(await balance(stack.owner, developer.userId, 'payable')).toBe(0);
    expect(await endsOf(reader)).toEqual([{ status: 'failed', calls: STREAMS }]);
    await expectStackLedger(stack);
  });

  it('serves the same turns again afterwards', async () => {
    streaming.behave(eventStream(['again']));
    const reply = await chat(api, reader, chatId, { ...TURN, idempotency_key: 'stream-0' });
    expect([reply.text, reply.last?.type]).toEqual(['again', 'done']);
  });
});

/** Security reference, T9. */
describe('duplicates of one keyed call, 50 at once over two API processes', () => {
  const DUPLICATES = few(250, 1_000);
  const AT_ONCE = 50;
  const PRICE = 5;
  const PATIENCE_MS = 90_000;
  let apis: [ServiceProcess, ServiceProcess];
  let answering: TestAgent;
  let caller: TestUser;
  let calledId: string;

  beforeAll(async () => {
    apis = [api, await stack.addProcess('api')];
    answering = await startAgent({ host: '127.77.0.3' });
    const developer = await register(market(), 'developer');
    caller = await register(market(), 'buyer', 100);
    const options = { credits: PRICE, timeoutMs: 8_000 };
    ({ agentId: calledId } = await putLive(market(), developer.userId, answering.url, options));
    await Promise.all(apis.map(untilServing));
  });
  afterAll(() => answering.stop());

  it('makes one charge, one answer and equal replies of all, with a kill while the call runs and one afterwards', async () => {
    // The first delivery is never answered: its process is killed first. The next one is answered after a while.
    const inTurn: BehaviourChoice = () =>
      answering.deliveries.length === 1 ? { kind: 'hangs' } : { kind: 'slow', ms: 500 };
    answering.behave(inTurn);
    const first = duplicate(0);
    await answering.waitForDeliveries(1, 10_000);
    let next = 1;
    const replies: InvokeReply[] = [];
    const callers = Array.from({ length: AT_ONCE }, async () => {
      while (next < DUPLICATES) replies.push(await duplicate(next++));
    });
    await realTime(1_500, 'the moment of the kill');
    await apis[0].kill();
    await apis[0].start();
    await eventually(() => Promise.resolve(replies.length > DUPLICATES / 4), PATIENCE_MS);
    await apis[1].kill();
    await apis[1].start();
    await Promise.all(callers);
    replies.push(await first);

    expect(replies).toHaveLength(DUPLICATES);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answering.deliveries.filter(({ answered }) => answered)).toHaveLength(1);
    expect(await balance(stack.owner, caller.userId, 'wallet')).toBe((100 - PRICE) * 100);
    expect(await endsOf(caller)).toEqual([
      { status: 'failed', calls: 1 },
      { status: 'succeeded', calls: 1 },
    ]);
    await expectStackLedger(stack);
  });

  /** Calls as clients should: again with the same key while the answer is missing or says that a retry may help. */
  async function duplicate(n: number): Promise<InvokeReply> {
    const giveUpAt = Date.now() + PATIENCE_MS;
    for (let attempt = 0; ; attempt += 1) {
      const at = (n + attempt) % 2 === 0 ? apis[0] : apis[1];
      const reply = await invoke(at, caller, calledId, {
        input: { text: 'once' },
        idempotency_key: 'order-1',
      }).catch(() => undefined);
      if (reply && (reply.status < 500 || !reply.body.error?.retryable)) return reply;
      if (Date.now() > giveUpAt) throw new Error(`no answer: ${JSON.stringify(reply?.body)}`);
      await realTime(200, 'a client tries again after a while');
    }
  }
});

/** How the calls of a buyer ended. */
async function endsOf({ userId }: TestUser): Promise<unknown> {
  const { rows } = await stack.owner.query(
    'SELECT status, count(*)::int AS calls FROM invocations WHERE buyer_user_id = $1 GROUP BY 1 ORDER BY 1',
    [userId],
  );
  return rows;
}
