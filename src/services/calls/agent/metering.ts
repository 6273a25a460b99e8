/** Tokens and cost of a call: of the input before it is accepted, of a stream while it is delivered, and at the end. */
import { costOf, isAboveCeiling, leastCostOf } from '../../../domain/catalogue/pricing';
import { truncatedCost } from '../../../domain/catalogue/truncation';
import { UNITS_PER_CREDIT } from '../../../domain/ledger/money';
import { LONGEST_TOKEN_BYTES, type TokenCounter } from '../../../kit/tokens/tokens';
import { readBuyerMeans } from '../../../stores/calls/buyer-means';
import { pricedNow, type ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { Db } from '../../../stores/db';
import type { CallOutput, CallUsage, InFlightCall } from './in-flight';

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

/** Checks each piece of an answer before it is delivered. `exceeded` ends the call with `max_cost_exceeded`. */
export interface StreamMeter {
  add(chunk: string): 'ok' | Promise<'ok' | 'exceeded'>;
}

/** The end of a word before a space and a word. No token of o200k_base spans it, so the text before it is final. */
const SAFE_CUT = /\p{L}(?= \p{L})/gu;

/**
 * Enforces the ceiling of a `per_token` call while its answer is streamed; null if no answer can exceed it. Text has at
 * most one token per byte, so most calls are never counted here. Once this bound exceeds the ceiling, the text is
 * counted piece by piece, as part of the resulting JSON text. The exact cost is that of the finished output
 * (`measure`); this meter ends a call that is too expensive before its answer is complete.
 */
export function createStreamMeter(tokens: TokenCounter, call: InFlightCall): StreamMeter | null {
  const { terms } = call.version;
  const { ceilingCredits, tokensIn } = call;
  if (terms.model !== 'per_token' || call.free || ceilingCredits === null) return null;
  if (terms.maxCredits <= ceilingCredits) return null;
  const isTooDear = (tokensOut: number) => {
    return isAboveCeiling(
      costOf(terms, { tokensIn: tokensIn ?? 0, tokensOut, durationMs: 0 }),
      ceilingCredits,
    );
  };
  /** Tokens of the final part of the text; the text after it; an upper bound of that text's tokens. */
  let counted = 0;
  let open = '';
  let openAtMost = 0;
  let uncounted = 0;

  async function recount(): Promise<'ok' | 'exceeded'> {
    const cut = lastCut(open);
    const [done = 0, rest = 0] = await tokens.count(call.buyerUserId, [open.slice(0, cut), open.slice(cut)]);
    counted += done;
    open = open.slice(cut);
    openAtMost = rest;
    uncounted = 0;
    return isTooDear(counted + rest) ? 'exceeded' : 'ok';
  }

  return {
    add(chunk) {
      const json = JSON.stringify(chunk).slice(1, -1);
      open += json;
      openAtMost += Buffer.byteLength(json);
      uncounted += json.length;
      // text without a cut is recounted only after it has grown by an eighth
      return isTooDear(counted + openAtMost) && uncounted * 8 >= open.length ? recount() : 'ok';
    },
  };
}

function lastCut(text: string): number {
  let at = 0;
  for (const match of text.matchAll(SAFE_CUT)) at = match.index + match[0].length;
  return at;
}

/** Counting a shorter input costs less than to read what its buyer can pay. */
const COUNTED_AT_ONCE_BYTES = 4 * 1024;

interface PricedRequest {
  buyerUserId: string;
  input: { body: Buffer };
  ceilingCredits: number | null;
}

/** `tokensIn`: null if they were not counted. `atLeast`: what is known without counting. */
export interface InputTokens {
  tokensIn: number | null;
  atLeast: number;
}

/**
 * Counts the tokens of an input that is priced by tokens, so that an input over the ceiling is refused before the call.
 * An input whose refusal is certain is not counted: its fewest tokens are above the ceiling, or its buyer has neither
 * the price nor a free call. An account without credits therefore cannot keep the counter busy.
 */
export async function inputTokens(
  { pool, tokens }: { pool: Db; tokens: TokenCounter },
  request: PricedRequest,
  version: ServingVersion,
): Promise<InputTokens> {
  const isCounted = [version, version.former].some((priced) => priced?.terms.model === 'per_token');
  if (!isCounted) return { tokensIn: null, atLeast: 0 };
  const { body } = request.input;
  const atLeast = Math.ceil(body.length / LONGEST_TOKEN_BYTES);
  if (body.length > COUNTED_AT_ONCE_BYTES && (await isRefused(pool, request, pricedNow(version), atLeast)))
    return { tokensIn: null, atLeast };
  const [tokensIn = 0] = await tokens.count(request.buyerUserId, [body]);
  return { tokensIn, atLeast: tokensIn };
}

async function isRefused(
  pool: Db,
  request: PricedRequest,
  version: ServingVersion,
  atLeast: number,
): Promise<boolean> {
  const { walletUnits, hasFreeCall } = await readBuyerMeans(pool, request.buyerUserId, version);
  if (hasFreeCall) return false;
  const { ceilingCredits } = request;
  if (isAboveCeiling(leastCostOf(version.terms, atLeast), ceilingCredits)) return true;
  return walletUnits < Math.min(version.terms.maxCredits, ceilingCredits ?? Infinity) * UNITS_PER_CREDIT;
}
