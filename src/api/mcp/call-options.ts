import type { Request } from 'express';
import { MAX_COST_CREDITS } from '../../contract/common';
import { MarketError } from '../../domain/errors';
import { readPresented, type PresentedMandate } from '../../domain/mandates/mandate';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { mandateFromHeader } from '../requests/mandate-header';
import { maxCostOf } from '../requests/max-cost';
import { MARKET_META } from '../../domain/calls/mcp-meta';
import { McpFault, RPC } from './protocol';
import { isStorable } from '../../domain/storable';

export interface CallOptions {
  maxCostCredits: number | null;
  idempotencyKey: string | undefined;
  /** Throws `mandate_invalid`, which is an error of the call rather than of the message. */
  mandate: () => PresentedMandate | undefined;
}

/**
 * Reads ceiling, key and mandate of a call from `_meta` or from headers. Ceiling and key may be in both if they are
 * equal. Throws `McpFault` (-32602).
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
    idempotencyKey: asFault(() => idempotencyKeyOf(req, key)),
    mandate: () => (mandate === undefined ? asFault(() => mandateFromHeader(req)) : readPresented(mandate)),
  };
}

/** Converts an invalid header into an error of the message. */
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

function isKey(key: unknown): key is string {
  return typeof key === 'string' && key.length > 0 && key.length <= 255 && isStorable(key);
}

function invalid(message: string): McpFault {
  return new McpFault(RPC.invalidParams, message);
}
