import { costOf, isAboveCeiling } from '../domain/pricing';
import type { TokenCounter } from '../kit/tokens';
import type { CallOutput, CallUsage, InFlightCall } from './invocation-registry';
import { createStreamMeter } from './stream-meter';

/** Of longer texts whose tokens cost nothing, this much is counted and the rest estimated in proportion. */
const SAMPLE_BYTES = 256 * 1024;

/**
 * What a call used and costs (contract, "Invocation"): o200k_base tokens of the JSON texts, counted by the service and
 * never taken from the agent, and the wall-clock time of the agent call. Exact where money depends on it.
 */
export function createMetering(deps: { tokens: TokenCounter }) {
  async function countText(call: InFlightCall, json: Buffer): Promise<number> {
    const exact = call.version.terms.model === 'per_token' || json.length <= SAMPLE_BYTES;
    const [count = 0] = await deps.tokens.count(call.buyerUserId, [
      exact ? json : json.subarray(0, SAMPLE_BYTES),
    ]);
    return exact ? count : Math.round((count * json.length) / SAMPLE_BYTES);
  }

  return {
    /** Watches the buyer's ceiling while an answer comes; null where no answer can pass it. */
    streamMeter: (call: InFlightCall) => createStreamMeter(deps.tokens, call),

    /** Tokens of the input; runs while the agent works. */
    inputTokens: (call: InFlightCall, input: Buffer): Promise<number> =>
      call.tokensIn === null ? countText(call, input) : Promise.resolve(call.tokensIn),

    /** The usage of an answered call; undefined when it costs more than the buyer's ceiling: then it is free. */
    async measure(call: InFlightCall, output: CallOutput): Promise<CallUsage | undefined> {
      const { tokensIn, durationMs } = call;
      const metered = { tokensIn: tokensIn ?? 0, tokensOut: await countText(call, output.json), durationMs };
      const costCredits = call.free || output.isToolError ? 0 : costOf(call.version.terms, metered);
      if (isAboveCeiling(costCredits, call.ceilingCredits)) return undefined;
      return { ...metered, chargedCredits: costCredits };
    },
  };
}

export type Metering = ReturnType<typeof createMetering>;
