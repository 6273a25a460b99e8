/** The history of a Monday's transfers in USDC, one of which waits before it is over. */
import type { Client } from '@temporalio/client';
import { createLedgerService } from '../../src/services/ledger/ledger';
import { addUser } from '../support/ledger/ledger';
import type { ProcessStack } from '../support/stack/process-stack';
import { startChain } from '../support/usdc/chain';
import { startFacilitator } from '../support/usdc/facilitator';
import { earnAt, putPricedInUsd, usdcSettings } from '../support/usdc/scene';
import { testPool } from '../support/stack/pool';

const MONDAY = '2026-11-23T00:00:00.000Z';
const ADDRESSES = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
];

/** A chain and a facilitator for the worker's settings; `record` needs a worker that has them. */
export async function startUsdc() {
  const chain = await startChain();
  const facilitator = await startFacilitator(chain);
  await chain.mint(chain.treasury.address, 100_000_000n);
  return {
    settings: usdcSettings(chain, facilitator),

    async record(
      stack: ProcessStack,
      client: Client,
      show: (name: string, workflowId: string) => void,
    ): Promise<void> {
      const app = testPool(stack.environment()['DATABASE_URL'], { max: 2 });
      const t = { owner: stack.owner as never, app, ledger: createLedgerService({ pool: app }) };
      const buyer = await addUser(t, 'buyer', 10_000);
      const developer = await addUser(t, 'developer');
      for (const payTo of ADDRESSES) {
        const agentId = await putPricedInUsd(stack.owner, developer, payTo);
        await earnAt(t, { buyer, developer, agentId }, 1_500);
      }
      const monday = await client.workflow.start('weeklyPayouts', {
        workflowId: 'a-monday-in-usdc',
        taskQueue: 'operations',
        args: [{ asOf: MONDAY }],
      });
      console.log('weekly-payouts-usdc', await monday.result());
      const transfers = client.workflow.getHandle(`payout/usdc/${MONDAY.slice(0, 10)}/0`);
      await transfers.result();
      show('weekly-payouts-usdc', monday.workflowId);
      show('usdc-payouts-confirmed', transfers.workflowId);
      await app.end();
    },

    async stop(): Promise<void> {
      await facilitator.stop();
      await chain.stop();
    },
  };
}
