import type { Request } from 'express';
import { MAX_COST_CREDITS } from '../../contract/common';
import { MarketError } from '../../domain/errors';
import { readPresented, type PresentedMandate } from '../../domain/mandates/mandate';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { mandateFromHeader } from '../requests/mandate-header';
import { maxCostOf } from '../requests/max-cost';
import { MARKET_META, McpFault, RPC } from './protocol';

export interface CallOptions {
  maxCostCredits: number | null;
  idempotencyKey: string | null;
  /** Throws `mandate_invalid`, which is a matter of the call, not of the message. */
  mandate: () => PresentedMandate | undefined;
}

/**
 * Ceiling, key and mandate of a call, from `_meta` or from headers. Ceiling and key may stand in both when they agree.
 * Throws -32602.
 */
export function callOptionsOf(req: Request, meta: Record<string, unknown>): CallOptions {
  const key = meta[MARKET_META.idempotencyKey];
  const ceiling = meta[MARKET_META.maxCostCredits];
  const mandate = meta[MARKET_META.mandate];
  if (key !== undefined && !isKey(key)) {
    throw invalid(`_meta["${MARKET_META.idempotencyKey}"] takes text of 1 to 255 characters.`);
  }
  if (ceiling !== undefined && !isCeiling(ceiling)) {
    const range = `a whole number from 0 to ${MAX_COST_CREDITS}`;
    throw invalid(`_meta["${MARKET_META.maxCostCredits}"] takes ${range}.`);
  }
  return {
    maxCostCredits: asFault(() => maxCostOf(req, ceiling)),
    idempotencyKey: asFault(() => idempotencyKeyOf(req, key) ?? null),
    mandate: () => (mandate === undefined ? asFault(() => mandateFromHeader(req)) : readPresented(mandate)),
  };
}

/** A header of the wrong form is wrong with the message. */
function asFault<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof MarketError && error.code === 'invalid_header' ? invalid(error.message) : error;
  }
}

function isCeiling(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COST_CREDITS;
}

/** Text that Postgres can hold. */
function isKey(key: unknown): key is string {
  if (typeof key !== 'string' || key.length === 0 || key.length > 255) return false;
  return !key.includes('\u0000') && key.isWellFormed();
}

function invalid(message: string): McpFault {
  return new McpFault(RPC.invalidParams, message);
}
