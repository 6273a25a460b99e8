/**
 * Reads a message of the standard binding: its names, the cost ceiling, the idempotency key, the quote and the caller's
 * own pairs.
 */
import type { Request } from 'express';
import { isCostCeiling, MAX_COST_CREDITS } from '../../domain/calls/cost-ceiling';
import { A2A_META } from '../../domain/a2a/a2a-wire';
import { type CallMetadata, isMetadata, METADATA_RULE } from '../../domain/calls/call-metadata';
import { MarketError } from '../../domain/errors';
import { isQuoteId, type NamedQuote, QUOTE_ID_RULE } from '../../domain/prices/quote';
import { isStorable } from '../../domain/json-value';
import type { CallAcceptance } from '../../services/calls/answers/acceptance';
import { acceptOf } from '../requests/request-fields';

const MAX_KEY = 255;

export type Metadata = Record<string, unknown>;

/** The cost ceiling from the metadata of the message or the request. Throws `validation_failed`. */
export function ceilingIn(...places: (Metadata | undefined)[]): number | null {
  const value = firstOf(A2A_META.maxCostCredits, places);
  if (value === undefined) return null;
  if (isCostCeiling(value)) return value;
  throw malformed(
    ['metadata', A2A_META.maxCostCredits],
    `${A2A_META.maxCostCredits} takes an integer from 0 to ${MAX_COST_CREDITS}.`,
  );
}

/** The idempotency key from the metadata of the message or the request. Throws `validation_failed`. */
export function keyIn(...places: (Metadata | undefined)[]): string | undefined {
  const value = firstOf(A2A_META.idempotencyKey, places);
  if (value === undefined) return undefined;
  if (typeof value === 'string' && isName(value)) return value;
  throw malformed(
    ['metadata', A2A_META.idempotencyKey],
    `${A2A_META.idempotencyKey} takes text of 1 to ${MAX_KEY} characters.`,
  );
}

/** The caller's own pairs from the metadata of the message or the request. Throws `validation_failed`. */
export function pairsIn(...places: (Metadata | undefined)[]): CallMetadata | undefined {
  const value = firstOf(A2A_META.metadata, places);
  if (value === undefined || isMetadata(value)) return value;
  throw malformed(['metadata', A2A_META.metadata], `${A2A_META.metadata} ${METADATA_RULE}.`);
}

/** The quote from the metadata of the message or the request. Throws `validation_failed`. */
export function quoteIn(...places: (Metadata | undefined)[]): NamedQuote | undefined {
  const id = firstOf(A2A_META.quoteId, places);
  if (id === undefined) return undefined;
  const loc = ['body', 'message', 'metadata', A2A_META.quoteId];
  if (isQuoteId(id)) return { id, loc };
  throw malformed(['metadata', A2A_META.quoteId], `${A2A_META.quoteId} ${QUOTE_ID_RULE}`);
}

/** The tests of the answer from the metadata of the message or the request, or from `X-Acceptance`. */
export function acceptIn(req: Request, ...places: (Metadata | undefined)[]): CallAcceptance | undefined {
  const loc = ['body', 'message', 'metadata', A2A_META.accept];
  return acceptOf(req, firstOf(A2A_META.accept, places), loc);
}

/** Checks an id that the client chose, since it is stored and compared. Throws `validation_failed`. */
export function requireName(name: string, value: string): string {
  if (!isName(value)) throw malformed([name], `${name} takes text of 1 to ${MAX_KEY} characters.`);
  return value;
}

function firstOf(key: string, places: (Metadata | undefined)[]): unknown {
  return places.map((place) => place?.[key]).find((value) => value !== undefined && value !== null);
}

function isName(text: string): boolean {
  return text.length >= 1 && text.length <= MAX_KEY && isStorable(text);
}

function malformed(place: string[], msg: string): MarketError {
  const detail = [{ loc: ['body', 'message', ...place], msg, type: 'value' }];
  return new MarketError('validation_failed', { message: msg, detail });
}
