import type { Request } from 'express';
import type { Operation } from '../../contract/operation';
import { MarketError } from '../../domain/errors';
import { invalidHeader } from './field-problems';

/** A string of RFC 9651 with parameters, which have no meaning here. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"[ \t]*(?:;[\x20-\x7e]*)?$/;

/**
 * The idempotency key from body or header; both are allowed if they are equal. `"k"` in the header, as its draft
 * standard writes it, is the same key as `k`. Throws `invalid_header`.
 */
export function idempotencyKeyOf(req: Request, fromBody: string | undefined): string | undefined {
  const header = req.get('idempotency-key');
  if (header === undefined) return fromBody;
  const fromHeader = unquoted(header);
  if (fromHeader === undefined || !/^[\x20-\x7e]{1,255}$/.test(fromHeader)) {
    throw invalidHeader(
      'Idempotency-Key',
      'Idempotency-Key takes 1 to 255 visible ASCII characters, with or without double quotes around them.',
    );
  }
  if (fromBody !== undefined && fromHeader !== fromBody) {
    throw invalidHeader('Idempotency-Key', 'Idempotency-Key and idempotency_key differ.');
  }
  return fromHeader;
}

function unquoted(header: string): string | undefined {
  if (header.startsWith('"')) return QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1');
  return header.includes(' ') ? undefined : header;
}

/**
 * Adds an invalid `Idempotency-Key` to the problems of a body, so that a 422 names every invalid place. Alone, it is an
 * `invalid_header`.
 */
export function withHeaderProblems(
  error: unknown,
  { headers }: Pick<Operation, 'headers'>,
  req: Request,
): unknown {
  if (
    !(error instanceof MarketError) ||
    error.code !== 'validation_failed' ||
    !headers?.properties['Idempotency-Key']
  )
    return error;
  try {
    idempotencyKeyOf(req, undefined);
    return error;
  } catch (refusal) {
    if (!(refusal instanceof MarketError)) return error;
    const detail = [...(error.detail ?? []), ...(refusal.detail ?? [])];
    return new MarketError(error.code, { message: error.message, detail });
  }
}
