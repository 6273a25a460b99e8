import { costOf, isAboveCeiling } from '../../../domain/catalogue/pricing';
import { truncatedCost } from '../../../domain/catalogue/truncation';
import type { TokenCounter } from '../../../kit/tokens/tokens';
import type { CallOutput, CallUsage, InFlightCall } from './in-flight';
import { createStreamMeter } from './stream-meter';

/** For longer texts whose tokens cost nothing, this much is counted and the rest is extrapolated. */
const SAMPLE_BYTES = 256 * 1024;

/** A shorter input whose tokens cost nothing is counted together with the answer. */
const COUNTED_LATER_BYTES = 16 * 1024;

/**
 * Usage and cost of calls (contract, "Invocation"): o200k_base tokens of the JSON texts, counted by the service and
 * never taken from the agent, and the wall-clock time of the agent call. Counts that affect the cost are exact.
 */
export function createMetering(deps: { tokens: TokenCounter }) {
  async function countTexts(call: InFlightCall, texts: readonly Buffer[]): Promise<number[]> {
    const isExact = (json: Buffer) => isPerToken(call) || json.length <= SAMPLE_BYTES;
    const samples = texts.map((json) => (isExact(json) ? json : json.subarray(0, SAMPLE_BYTES)));
    const counts = await deps.tokens.count(call.buyerUserId, samples);
    return texts.map((json, n) => {
      const count = counts[n] ?? 0;
      return isExact(json) ? count : extrapolated(count, json);
    });
  }

  /** The tokens of an answer, and of an input that was left until now. */
  async function countAnswer(call: InFlightCall, { json, found }: CallOutput): Promise<[number, number]> {
    const { uncountedInput, tokensIn } = call;
    const rest = uncountedInput ? [uncountedInput] : [];
    const { sampleTokens = null } = found ?? {};
    if (sampleTokens === null) {
      const [answer = 0, input = tokensIn ?? 0] = await countTexts(call, [json, ...rest]);
      return [answer, input];
    }
    const [input = tokensIn ?? 0] = await countTexts(call, rest);
    return [extrapolated(sampleTokens, json), input];
  }

  const isCountedLater = (call: InFlightCall, input: Buffer): boolean =>
    !isPerToken(call) && input.length <= COUNTED_LATER_BYTES;

  return {
    /** Checks the buyer's ceiling during a streamed answer; null if no answer can exceed it. */
    streamMeter: (call: InFlightCall) => createStreamMeter(deps.tokens, call),

    /** Counts the input while the agent works, or defers it until the answer is counted. */
    async countInput(call: InFlightCall, input: Buffer): Promise<void> {
      if (call.tokensIn !== null) return;
      if (isCountedLater(call, input)) call.uncountedInput = input;
      else [call.tokensIn = 0] = await countTexts(call, [input]);
    },

    /**
     * The usage of an answered call. A truncated answer costs the ceiling at most. Undefined if any other answer costs
     * more than the buyer's ceiling.
     */
    async measure(call: InFlightCall, output: CallOutput): Promise<CallUsage | undefined> {
      const { durationMs } = call;
      const [tokensOut, tokensIn] = await countAnswer(call, output);
      const metered = { tokensIn, tokensOut, durationMs };
      const costCredits = call.free || output.isToolError ? 0 : costOf(call.version.terms, metered);
      if (output.truncatedBy && !call.free) {
        const chargedCredits = truncatedCost(output.truncatedBy, costCredits, call.ceilingCredits);
        return { ...metered, chargedCredits };
      }
      if (isAboveCeiling(costCredits, call.ceilingCredits)) return undefined;
      return { ...metered, chargedCredits: costCredits };
    },
  };
}

export type Metering = ReturnType<typeof createMetering>;

const isPerToken = ({ version }: Pick<InFlightCall, 'version'>): boolean =>
  version.terms.model === 'per_token';

/** How much of a large answer is counted where it is read. An exact count takes turns with others (`tokens.ts`). */
export const sampleBytesOf = (call: Pick<InFlightCall, 'version'>): number | null =>
  isPerToken(call) ? null : SAMPLE_BYTES;

/** The tokens of a text of which a sample was counted. A shorter text is its own sample. */
function extrapolated(sampleTokens: number, { length }: Buffer): number {
  return Math.round((sampleTokens * length) / Math.min(length, SAMPLE_BYTES));
}
