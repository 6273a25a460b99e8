import { callerOf, ensureCredits, exampleOf } from './scenes.mjs';

const SLUG = 'csv-profiler';
/** One more than the agent takes. */
const COLUMNS = 201;

/** Makes a call that succeeds, and after it one that its agent refuses and that is refunded. Throws if it is not. */
export async function makeCalls({ root, runtime, contextOf }) {
  const buyer = callerOf(runtime, await contextOf('buyer'));
  const { agent, input } = await exampleOf(root, runtime, SLUG);
  await ensureCredits(buyer, 2 * agent.price_credits);
  const invoke = (given) => buyer('POST', `/v1/agents/${agent.agent_id}/invoke`, { input: given });
  await invoke(input);
  const csv = Array.from({ length: COLUMNS }, (_, index) => `column ${index}`).join(',');
  const refusal = await invoke({ csv }).catch((error) => error);
  if (!/"agent_[a-z_]+"/.test(refusal.message))
    throw new Error('the agent did not refuse the call', { cause: refusal });
}
