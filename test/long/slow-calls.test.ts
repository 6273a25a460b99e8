/** Slow calls of one buyer, and what they cost another one, measured for longer than `npm test` has time. */
import { startHeldAgent } from '../support/agents/held-agent';
import { startAgent } from '../support/agents/test-agent';
import { few } from '../support/ledger/counts';
import {
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';

jest.setTimeout(180_000);

const SLOW_CALLS = few(100, 200);
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

const SAMPLES = few(30, 60);
/** The machine has other work too: one quiet minute of it may not decide. */
const ROUNDS = 3;
let market: TestMarket;
let developer: TestUser;

beforeAll(async () => {
  market = await startMarket();
  developer = await register(market, 'developer');
});
afterAll(async () => {
  await expectWholeLedger(market);
  await market.stop();
});

it(`leaves another buyer's median within twice its quiet value while ${SLOW_CALLS} slow calls of one buyer run`, async () => {
  const quick = await startAgent({ keepBodies: false });
  const [slowBuyer, buyer] = [
    await register(market, 'buyer', 10_000),
    await register(market, 'buyer', 10_000),
  ];
  const { agentId } = await putLive(market, developer.userId, quick.url, { credits: 1 });
  await sample(buyer, agentId);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS && !ratios.some((ratio) => ratio <= 2); round += 1) {
    const quietBefore = await sample(buyer, agentId);
    const held = await startHeldAgent();
    const options = { credits: 1, timeoutMs: 60_000 };
    const { agentId: slowId } = await putLive(market, developer.userId, held.url, options);
    const slow = Array.from({ length: SLOW_CALLS }, (_, n) =>
      invoke(market, slowBuyer, slowId, { input: { text: 'slow', n } }),
    );
    await Promise.all([held.waitForDeliveries(SLOW_CALLS, 30_000), sample(buyer, agentId)]);
    const busy = await sample(buyer, agentId);
    expect(held.deliveries.some(({ answered }) => answered)).toBe(false);
    held.release();
    expect((await Promise.all(slow)).filter(({ status }) => status !== 200)).toHaveLength(0);
    const quietAfter = await sample(buyer, agentId);
    ratios.push(median(busy) / median([...quietBefore, ...quietAfter]));
    await held.stop();
  }
  if (process.env['FAIRNESS_VERBOSE']) console.log('busy median / quiet median', ratios);
  expect(Math.min(...ratios)).toBeLessThanOrEqual(2);
  await quick.stop();
});

/** Milliseconds of calls one after another. */
async function sample(buyer: TestUser, agentId: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    const startedAt = performance.now();
    const { status, body } = await invoke(market, buyer, agentId, { input: { text: 'quick', n } });
    times.push(performance.now() - startedAt);
    expect([status, body.error]).toEqual([200, undefined]);
  }
  return times;
}
