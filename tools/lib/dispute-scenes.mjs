import { callerOf, ensureCredits, eventually, exampleOf, passTime } from './scenes.mjs';

const SLUG = 'csv-profiler';

/**
 * Makes a dispute in each of its states with the demonstration accounts of a running `npm start`: through the public
 * API, and with `market time-travel` for the end of the window. Returns the id of each dispute by the name of its
 * picture. Throws if the API refuses a request.
 */
export async function makeDisputes({ root, home, runtime, contextOf }) {
  const as = {
    buyer: callerOf(runtime, await contextOf('buyer')),
    developer: callerOf(runtime, await contextOf('developer')),
    operator: callerOf(runtime, await contextOf('operator')),
  };
  const { agent, input } = await exampleOf(root, runtime, SLUG);

  const open = async () => {
    await ensureCredits(as.buyer, agent.price_credits);
    const call = await as.buyer('POST', `/v1/agents/${agent.agent_id}/invoke`, { input });
    const dispute = await eventually(() =>
      as.buyer('POST', '/v1/billing/disputes', {
        invocation_id: call.invocation_id,
        reason: 'output_incorrect',
        description: 'An empty column is counted as text.',
      }),
    );
    return dispute.dispute_id;
  };
  const contested = async () => {
    const disputeId = await open();
    const answer = { decision: 'contest', statement: 'The column holds text in two rows.' };
    await as.developer('POST', `/v1/billing/disputes/${disputeId}/respond`, answer);
    return disputeId;
  };
  const decided = async (decision, reason) => {
    const disputeId = await contested();
    await as.operator('POST', `/v1/operator/disputes/${disputeId}/resolve`, { decision, reason });
    return disputeId;
  };

  const accepted = await open();
  await passTime(root, home, `dispute/${accepted}`, '72h');
  return {
    'dispute-accepted': accepted,
    'dispute-won': await decided('buyer', 'The column is empty in the input.'),
    'dispute-lost': await decided('developer', 'The column holds text in two rows.'),
    'dispute-contested': await contested(),
    dispute: await open(),
  };
}
