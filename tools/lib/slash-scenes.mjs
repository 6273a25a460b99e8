import { callerOf, ensureCredits, eventually, exampleOf, passTime } from './scenes.mjs';

const SLUG = 'csv-profiler';
const BOND = '/v1/billing/developer/bond';
const DEVELOPERS = '/v1/billing/developer/slashes';
const OPERATORS = '/v1/operator/slashes';

/**
 * Makes a slash in each of its states with the demonstration accounts of a running `npm start`: through the public API,
 * and with `market time-travel` for the ends of the windows. Returns the id of each slash by the name of its picture,
 * and `restore`, which fills the bond so that the agents stay in search. Throws if the API refuses a request.
 */
export async function makeSlashes({ root, home, runtime, contextOf }) {
  const as = {
    buyer: callerOf(runtime, await contextOf('buyer')),
    developer: callerOf(runtime, await contextOf('developer')),
    operator: callerOf(runtime, await contextOf('operator')),
  };
  const { agent, input } = await exampleOf(root, runtime, SLUG);

  const apply = async () => {
    await ensureCredits(as.buyer, agent.price_credits);
    const call = await as.buyer('POST', `/v1/agents/${agent.agent_id}/invoke`, { input });
    const order = {
      agent_id: agent.agent_id,
      credits: agent.price_credits,
      explanation: 'The profile counts an empty column as text.',
      evidence: { column: 'sex', expected: 'empty' },
      invocation_ids: [call.invocation_id],
    };
    // The earning of a call can be slashed as soon as the call has settled.
    const slash = await eventually(() => as.operator('POST', OPERATORS, order));
    return slash.slash_id;
  };
  const pass = (slashId, duration) => passTime(root, home, `slash/${slashId}`, duration);
  /** A slash that became final and left the bond below the minimum of its tier. */
  const applyUntilShort = async () => {
    await fillBond(as.developer);
    const slashId = await apply();
    await pass(slashId, '7d');
    const shown = () => as.operator('GET', `${OPERATORS}/${slashId}`);
    await eventually(async () => (await shown()).top_up_by !== null);
    return slashId;
  };

  // The agents of this one leave search, until the bond is filled for the next one.
  const delisted = await applyUntilShort();
  await pass(delisted, '14d');
  await eventually(async () => (await as.developer('GET', BOND)).shortfall?.delisted);
  const topUp = await applyUntilShort();

  const overturned = await apply();
  const reason = 'The column is empty in the input.';
  await as.operator('POST', `${OPERATORS}/${overturned}/resolve`, { decision: 'overturned', reason });
  const contested = await apply();
  const statement = 'The column holds text in two rows.';
  await as.developer('POST', `${DEVELOPERS}/${contested}/counter-argument`, { statement });
  const applied = await apply();

  return {
    slashes: {
      'slash-applied': applied,
      'slash-contested': contested,
      'slash-overturned': overturned,
      'slash-top-up': topUp,
      'slash-delisted': delisted,
    },
    restore: () => fillBond(as.developer),
  };
}

/** Deposits what the bond lacks of a tier's minimum, so that the next slash leaves it short. */
async function fillBond(developer) {
  const { bond_credits: has, tier: current, tiers } = await developer('GET', BOND);
  const due = tiers.find(({ tier }) => tier === current)?.minimum_credits ?? 0;
  const minimums = tiers.map((each) => each.minimum_credits).filter((each) => each >= Math.max(has, due));
  if (minimums.length === 0) throw new Error(`the bond has ${has} credits, more than every tier needs`);
  const missing = Math.round((Math.min(...minimums) - has) * 100) / 100;
  if (missing === 0) return;
  await ensureCredits(developer, missing);
  await developer('POST', `${BOND}/deposit`, { credits: missing });
}
