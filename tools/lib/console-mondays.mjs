import { Client, Connection } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureCredits, eventually } from './scenes.mjs';

const WEEK_MS = 7 * 86_400_000;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * 86_400_000;
/** By then all earnings of today have matured. */
const WEEKS_AHEAD = 3;
const PAYOUTS = '/v1/operator/payouts';
const METHOD = '/v1/billing/developer/payout-method';
const TAX_FORM = { kind: 'w8ben', legal_name: 'Ada Lovelace', country: 'GB', tax_id: 'QQ123456C' };
const ACCOUNT = {
  method: 'ach',
  details: {
    account_holder_name: 'Ada Lovelace',
    routing_number: '021000021',
    account_number: '123456789',
    account_type: 'checking',
  },
};
/** What one Monday pays: above the minimum of the method. */
const SHARE_CREDITS = 1_100;
const AT_ONCE = 8;
const PAUSE_MS = 5_000;
const MOST_PAUSES = 20;

/**
 * Makes four Mondays: two that are paid, one whose payout the bank sends back after it was paid, and one that has to
 * wait for another payout method and that the bank then refuses. A development stack runs Mondays that have not come.
 */
export async function makeMondays({ runtime, as, agent }) {
  // The Mondays pay every developer of the demonstration; the pictures are of this one.
  const { user_id: developer } = await as.developer('GET', '/v1/auth/me');
  const own = `${PAYOUTS}?developer_user_id=${developer}`;
  const { items: earlier } = await as.operator('GET', own);
  if (earlier.some(({ status }) => status === 'returned' || status === 'failed')) return;
  await preparePayouts(as);
  const { connection, monday } = await mondaysOf(runtime);
  const newest = (...states) =>
    eventually(async () => {
      const [payout] = (await as.operator('GET', own)).items;
      return states.includes(payout?.status) && payout;
    });
  const settle = ({ payout_id: id }, result, reason) =>
    as.operator('POST', `${PAYOUTS}/${id}/settle`, { result, reason });
  /** The newest payout when its money is on its way, or has arrived where files count as paid. */
  const sent = () => newest('processing', 'paid');
  const paid = async () => {
    const payout = await sent();
    if (payout.status === 'processing') await settle(payout, 'paid', 'Statement of the bank, line 12.');
    return payout;
  };
  try {
    for (const week of [0, 1]) {
      await earn(as, agent);
      await monday(week);
      await paid();
    }
    await earn(as, agent);
    await monday(2);
    await settle(await paid(), 'returned', 'R03: no account of this number.');
    await monday(3);
    const { payout_id: waiting } = await newest('rolled_over');
    await as.developer('PUT', METHOD, ACCOUNT);
    await as.operator('POST', `${PAYOUTS}/${waiting}/retry`, {
      reason: 'The developer set the method anew.',
    });
    await settle(await sent(), 'returned', 'R02: the account is closed.');
  } finally {
    await connection.close();
  }
}

/** Makes one more Monday that pays the developer. Returns the id of its workflow. */
export async function makeMonday({ runtime, as, agent }) {
  const { items: earlier } = await as.operator('GET', PAYOUTS);
  await preparePayouts(as);
  const { connection, monday } = await mondaysOf(runtime);
  try {
    await earn(as, agent);
    return await monday(earlier.length);
  } finally {
    await connection.close();
  }
}

async function preparePayouts(as) {
  await as.developer('PUT', METHOD, ACCOUNT);
  await as.developer('PUT', '/v1/billing/developer/tax-form', TAX_FORM);
}

/**
 * `monday` runs a Monday as the Schedule does, so many weeks later than the first one, and returns its workflow's id.
 */
async function mondaysOf(runtime) {
  const connection = await Connection.connect({ address: runtime.temporal_address });
  const client = new Client({ connection, namespace: runtime.temporal_namespace });
  const first = (Math.floor((Date.now() - FIRST_MONDAY_MS) / WEEK_MS) + WEEKS_AHEAD) * WEEK_MS;
  const monday = async (week) => {
    const { action } = await client.schedule.getHandle('weekly-payouts').describe();
    const { taskQueue, staticSummary, staticDetails } = action;
    const asOf = new Date(first + FIRST_MONDAY_MS + week * WEEK_MS).toISOString();
    const workflowId = `weekly-payouts/${asOf.slice(0, 10)}/0`;
    await client.workflow.execute('weeklyPayouts', {
      workflowId,
      taskQueue,
      staticSummary,
      staticDetails,
      args: [{ asOf }],
    });
    return workflowId;
  };
  return { connection, monday };
}

/** Calls whose earnings are enough for one payout. */
async function earn(as, agent) {
  const { examples, pricing } = await as.buyer('GET', `/v1/listings/${agent}`);
  let left = Math.ceil(SHARE_CREDITS / pricing.credits_per_call);
  await ensureCredits(as.buyer, SHARE_CREDITS + pricing.credits_per_call);
  const caller = async () => {
    while (left-- > 0) await call(as, agent, examples[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
}

/** Calls the agent, and again after a pause while a retry can help: after too many requests, or on a busy machine. */
async function call(as, agent, input) {
  for (let tries = 0; ; tries++) {
    try {
      return await as.buyer('POST', `/v1/agents/${agent}/invoke`, { input });
    } catch (error) {
      if (!/"retryable":true/.test(error.message) || tries === MOST_PAUSES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
