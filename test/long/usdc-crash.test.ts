/** The worker is killed while a transfer is on its way: what it sent is looked up, the others are sent. */
import { Client, Connection } from '@temporalio/client';
import type { Pool } from 'pg';
import { createLedgerService } from '../../src/services/ledger/ledger';
import { addUser, expectWhole } from '../support/ledger/ledger';
import { eventually } from '../support/market';
import { MONDAY } from '../support/payouts/payouts';
import { type ProcessStack, type ServiceProcess, startProcessStack } from '../support/stack/process-stack';
import { startChain, type UsdcChain } from '../support/usdc/chain';
import { startFacilitator, type TestFacilitator } from '../support/usdc/facilitator';
import { earnAt, putPricedInUsd, usdcSettings } from '../support/usdc/scene';
import { testPool } from '../support/stack/pool';

const ADDRESSES = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
];
let stack: ProcessStack;
let worker: ServiceProcess;
let chain: UsdcChain;
let facilitator: TestFacilitator;
let app: Pool;

beforeAll(async () => {
  chain = await startChain('127.77.0.18');
  facilitator = await startFacilitator(chain, '127.77.0.17');
  await chain.mint(chain.treasury.address, 100_000_000n);
  stack = await startProcessStack();
  app = testPool(stack.environment()['DATABASE_URL'], { max: 2 });
  worker = await stack.addProcess('worker', { env: usdcSettings(chain, facilitator) });
});
afterAll(async () => {
  await app.end();
  await stack.stop();
  await facilitator.stop();
  await chain.stop();
});

it('pays each address once when the worker is killed between the request and its answer', async () => {
  const t = { owner: stack.owner as never, app, ledger: createLedgerService({ pool: app }) };
  const buyer = await addUser(t, 'buyer', 10_000);
  const developer = await addUser(t, 'developer');
  for (const payTo of ADDRESSES) {
    const agentId = await putPricedInUsd(stack.owner, developer, payTo);
    await earnAt(t, { buyer, developer, agentId }, 1_500);
  }
  let dead: Promise<void> | undefined;
  facilitator.answers = (path) => {
    if (path === '/settle') dead ??= worker.kill('SIGKILL');
    return true;
  };
  const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  const client = new Client({ connection });
  await client.workflow.start('weeklyPayouts', {
    workflowId: 'a-monday',
    taskQueue: 'operations',
    args: [{ asOf: MONDAY.toISOString() }],
  });
  await eventually(async () => dead !== undefined, 60_000);
  await dead;
  await worker.start();
  await eventually(async () => {
    const { rows } = await app.query<{ state: string }>('SELECT state FROM payout_transfers');
    return rows.length === 2 && rows.every(({ state }) => state === 'confirmed');
  }, 60_000);
  expect(await Promise.all(ADDRESSES.map(chain.balanceOf))).toEqual([14_550_000n, 14_550_000n]);
  expect(facilitator.settled).toHaveLength(2);
  const { rows } = await app.query<{ status: string }>('SELECT status FROM payouts');
  expect(rows.map(({ status }) => status)).toEqual(['paid', 'paid']);
  await expectWhole(app);
  await connection.close();
}, 180_000);
