import type { Request } from 'express';
import { MAX_COST_CREDITS } from '../../contract/mcp';
import { MarketError } from '../../domain/errors';
import { idempotencyKeyOf } from '../idempotency-key';
import { MARKET_META, McpFault, RPC } from './protocol';

export interface CallOptions {
  maxCostCredits: number | null;
  idempotencyKey: string | null;
  /** As it was presented; whoever uses it checks it. */
  mandate: unknown;
}

/**
 * Ceiling and key of a call, from `_meta` or from headers (both are allowed when they agree), and its mandate, from
 * `_meta`. Throws -32602.
 */
export function callOptionsOf(req: Request, meta: Record<string, unknown>): CallOptions {
  const key = meta[MARKET_META.idempotencyKey];
  if (key !== undefined && !(typeof key === 'string' && isKey(key))) {
    throw invalid(`_meta["${MARKET_META.idempotencyKey}"] takes text of 1 to 255 characters.`);
  }
  return {
    maxCostCredits: ceilingOf(req, meta),
    idempotencyKey: keyOf(req, key),
    mandate: meta[MARKET_META.mandate],
  };
}

function keyOf(req: Request, fromMeta: string | undefined): string | null {
  try {
    return idempotencyKeyOf(req, fromMeta) ?? null;
  } catch (error) {
    throw error instanceof MarketError ? invalid(error.message) : error;
  }
}

function ceilingOf(req: Request, meta: Record<string, unknown>): number | null {
  const fromMeta = meta[MARKET_META.maxCostCredits];
  const header = req.get('x-max-cost-credits');
  const fromHeader = header === undefined ? undefined : /^[0-9]{1,7}$/.test(header) ? Number(header) : NaN;
  for (const value of [fromMeta, fromHeader]) {
    if (value !== undefined && !isCeiling(value)) {
      throw invalid(`The ceiling takes an integer from 0 to ${MAX_COST_CREDITS}.`);
    }
  }
  if (fromMeta !== undefined && fromHeader !== undefined && fromMeta !== fromHeader) {
    throw invalid(`X-Max-Cost-Credits and _meta["${MARKET_META.maxCostCredits}"] differ.`);
  }
  return (fromMeta as number | undefined) ?? fromHeader ?? null;
}

function isCeiling(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COST_CREDITS;
}

/** Text that Postgres can hold. */
function isKey(key: string): boolean {
  return key.length >= 1 && key.length <= 255 && !key.includes('\u0000') && key.isWellFormed();
}

function invalid(message: string): McpFault {
  return new McpFault(RPC.invalidParams, message);
}
