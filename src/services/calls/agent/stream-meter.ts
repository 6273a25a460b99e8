import { costOf, isAboveCeiling } from '../../../domain/catalogue/pricing';
import type { TokenCounter } from '../../../kit/tokens/tokens';
import type { InFlightCall } from './in-flight';

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
 * (src/services/calls/agent/metering.ts); this meter ends a call that is too expensive before its answer is complete.
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
