import { isCostCeiling, MAX_COST_CREDITS } from '../../../domain/calls/cost-ceiling';
import type { Request } from 'express';
import { MarketError } from '../../../domain/errors';
import { readPresented, type PresentedMandate } from '../../../domain/mandates/mandate';
import { type CallMetadata, isMetadata, METADATA_RULE } from '../../../domain/calls/call-metadata';
import { isQuoteId, type NamedQuote, QUOTE_ID_RULE } from '../../../domain/prices/quote';
import {
  acceptOf,
  idempotencyKeyOf,
  mandateFromHeader,
  maxCostOf,
  metadataOf,
  quoteOf,
} from '../../requests/request-fields';
import type { CallAcceptance } from '../../../services/calls/answers/acceptance';
import { MARKET_META } from '../../../domain/calls/mcp-meta';
import { isStorable } from '../../../domain/json-value';

/**
 * The readers of ceiling, key, metadata, quote, tests and mandate of a call, from `_meta` or from headers. All but the
 * mandate may be in both if they are equal. The mandate is a function, because one that is invalid is an error of the
 * call rather than of the message.
 */
export function optionReaders(req: Request, meta: Record<string, unknown>) {
  const key = meta[MARKET_META.idempotencyKey];
  const ceiling = meta[MARKET_META.maxCostCredits];
  const mandate = meta[MARKET_META.mandate];
  return {
    maxCostCredits: () => {
      if (ceiling === undefined || isCostCeiling(ceiling)) return maxCostOf(req, ceiling);
      throw invalid(MARKET_META.maxCostCredits, `takes a whole number from 0 to ${MAX_COST_CREDITS}.`);
    },
    idempotencyKey: () => {
      if (key === undefined || isKey(key)) return idempotencyKeyOf(req, key);
      throw invalid(MARKET_META.idempotencyKey, 'takes text of 1 to 255 characters.');
    },
    metadata: () => metadataIn(req, meta),
    quote: () => quoteIn(req, meta),
    accept: () => acceptIn(req, meta),
    mandate: (): (() => PresentedMandate | undefined) => {
      if (mandate !== undefined) return () => readPresented(mandate);
      try {
        const presented = mandateFromHeader(req);
        return () => presented;
      } catch (error) {
        if (!(error instanceof MarketError) || error.code === 'invalid_header') throw error;
        return () => {
          throw error;
        };
      }
    },
  };
}

/** The metadata of a call, from `_meta` or from `X-Metadata`. Throws `validation_failed`, `invalid_header`. */
export function metadataIn(req: Request, meta: Record<string, unknown>): CallMetadata | undefined {
  const metadata = meta[MARKET_META.metadata];
  if (metadata === undefined || isMetadata(metadata)) return metadataOf(req, metadata);
  throw invalid(MARKET_META.metadata, `${METADATA_RULE}.`);
}

/** The tests of a call, from `_meta` or `X-Acceptance`. Throws `validation_failed`, `invalid_header`. */
export function acceptIn(req: Request, meta: Record<string, unknown>): CallAcceptance | undefined {
  return acceptOf(req, meta[MARKET_META.accept], ['params', '_meta', MARKET_META.accept]);
}

/** The quote of a call, from `_meta` or from `X-Quote-Id`. Throws `validation_failed`, `invalid_header`. */
export function quoteIn(req: Request, meta: Record<string, unknown>): NamedQuote | undefined {
  const id = meta[MARKET_META.quoteId];
  if (id === undefined) return quoteOf(req, undefined);
  if (!isQuoteId(id)) throw invalid(MARKET_META.quoteId, QUOTE_ID_RULE);
  return quoteOf(req, { id, loc: ['params', '_meta', MARKET_META.quoteId] });
}

function isKey(key: unknown): key is string {
  return typeof key === 'string' && key.length > 0 && key.length <= 255 && isStorable(key);
}

function invalid(key: string, takes: string): MarketError {
  const message = `_meta["${key}"] ${takes}`;
  const detail = [{ loc: ['params', '_meta', key], msg: message, type: 'value' }];
  return new MarketError('validation_failed', { message, detail });
}
