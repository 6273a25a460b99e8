/** Histories of money that leaves: slashes as they may end, and a Monday with one of its shares. */
import type { Client } from '@temporalio/client';
import { counter, decide, deposit, slash } from '../support/disputes/bonds';
import { succeed } from '../support/disputes/disputes';
import { eventually, putLive, register, type TestMarket, type TestUser } from '../support/market';
import { catchUp } from '../support/payouts/mondays';
import { makeCrowd } from '../support/payouts/payout-crowd';
import { MONDAY } from '../support/payouts/payouts';
import type { ProcessStack } from '../support/stack/process-stack';

/** Windows of slashes that pass while one waits. */
export const SHORT_WINDOWS = { SLASH_COUNTER_WINDOW_MS: '3000', BOND_TOP_UP_WINDOW_MS: '3000' };

const SLASHES: [string, 'silence' | 'upheld' | 'overturned', topUp: boolean][] = [
  ['slash-silent-delisted', 'silence', false],
  ['slash-upheld-topped-up', 'upheld', true],
  ['slash-overturned', 'overturned', false],
];
/** All ways that a share can go. */
const CROWD = 8;

type Show = (name: string, workflowId: string) => void;
type Market = Pick<TestMarket, 'url' | 'owner' | 'container'>;

export async function recordSlashes(
  market: Market,
  client: Client,
  about: { agentUrl: string; operator: TestUser; buyer: TestUser },
  show: Show,
): Promise<void> {
  for (const [name, end, topUp] of SLASHES) {
    const developer = await register(market, 'developer', 1_000);
    const { agentId } = await putLive(market, developer.userId, about.agentUrl, { credits: 1 });
    const calls = [await succeed(market, about.buyer, agentId)];
    await deposit(market, developer, 500);
    const { body } = await slash(market, about.operator, { agentId, credits: 100, calls });
    if (end === 'upheld') await counter(market, developer, body.slash_id);
    if (end !== 'silence') await decide(market, about.operator, body.slash_id, end);
    if (topUp) await deposit(market, developer, 100);
    const handle = client.workflow.getHandle(`slash/${body.slash_id}`);
    await eventually(() => handle.describe().then(() => true));
    console.log(name, await handle.result());
    show(name, handle.workflowId);
  }
}

export async function recordMonday(stack: ProcessStack, show: Show): Promise<void> {
  const place = {
    owner: stack.owner,
    appUrl: stack.environment()['DATABASE_URL'] ?? '',
    cipher: stack.container.cipher,
  };
  const { members } = await makeCrowd(place, CROWD, [MONDAY]);
  const run = await catchUp(stack, [MONDAY]);
  console.log('weekly-payouts', await run.results);
  await run.close();
  const paid = members.find(({ fate }) => fate === 'paid');
  const [monday, share] = [MONDAY.toISOString().replace('.000Z', 'Z'), MONDAY.toISOString().slice(0, 10)];
  show('weekly-payouts', `weekly-payouts-${monday}`);
  show('developer-payout', `payout/${paid?.userId}/${share}`);
}
