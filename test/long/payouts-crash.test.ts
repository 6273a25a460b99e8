/**
 * Two Mondays in a row that the engine missed, paid by a worker that is killed in the middle of the shares and in the
 * middle of a bank's file: every lot in one payout, the second Monday after the first, files and ledger to the unit.
 * `npm run bench:payouts` does it with 2,000 developers and ten kills.
 */
import { catchUp, proveMondays } from '../support/payouts/mondays';
import { makeCrowd } from '../support/payouts/payout-crowd';
import { MONDAY } from '../support/payouts/payouts';
import { startProcessStack, type ProcessStack } from '../support/stack/process-stack';
import { planKills } from '../support/crash/worker-kills';

const DEVELOPERS = 30;
const MONDAYS = [new Date(MONDAY.getTime() - 7 * 86_400_000), MONDAY];

let stack: ProcessStack;

beforeAll(async () => {
  stack = await startProcessStack();
}, 180_000);
afterAll(() => stack.stop());

it('pays the same amounts when its workers are killed and run in another time zone', async () => {
  const crowd = await makeCrowd(
    {
      owner: stack.owner,
      appUrl: stack.environment()['DATABASE_URL'] ?? '',
      cipher: stack.container.cipher,
    },
    DEVELOPERS,
    MONDAYS,
  );
  // Where it is already Monday afternoon at 00:00 UTC.
  const worker = await stack.addProcess('worker', { env: { TZ: 'Pacific/Auckland' } });
  const kill = await planKills(stack, worker, {
    shares: [DEVELOPERS / 3],
    files: [{ method: 'swift', step: 'write', postgres: 'ends' }],
  });
  const run = await catchUp(stack, MONDAYS);
  await kill();
  const results = await run.results;
  expect(results.map(({ asOf }) => asOf)).toEqual(MONDAYS.map((monday) => monday.toISOString()));
  const { rows: order } = await stack.owner.query<{ in_order: boolean }>(
    'SELECT max(initiated_at) FILTER (WHERE as_of = $1) < min(initiated_at) FILTER (WHERE as_of = $2) AS in_order FROM payouts',
    MONDAYS,
  );
  expect(order).toEqual([{ in_order: true }]);
  const proof = await proveMondays(stack, crowd);
  expect(proof.problems).toEqual([]);
  expect(proof.files.map(({ fileId }) => fileId)).toEqual([
    'ach-20261109-0',
    'swift-20261109-0',
    'upi-20261109-0',
    'ach-20261116-0',
    'swift-20261116-0',
    'upi-20261116-0',
  ]);
  expect(proof.remainderUnits).toBeGreaterThan(0);
  await run.close();
}, 240_000);
