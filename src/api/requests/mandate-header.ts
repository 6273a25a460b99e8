import type { Request } from 'express';
import { MarketError } from '../../domain/errors';
import { type PresentedMandate, readPresented } from '../../domain/mandates/mandate';
import { parseStrictJson } from '../../kit/json/strict-json';

/**
 * `X-Mandate` of requests whose body is the agent's: the mandate object as JSON in base64url. Throws 400
 * `invalid_header` for anything else, 403 `mandate_invalid` for another object.
 */
export function mandateFromHeader(req: Request): PresentedMandate | undefined {
  const header = req.get('x-mandate');
  if (header === undefined) return undefined;
  return readPresented(parseObject(header));
}

function parseObject(header: string): unknown {
  if (/^[A-Za-z0-9_-]+$/.test(header)) {
    try {
      return parseStrictJson(Buffer.from(header, 'base64url')).value;
    } catch {
      // told below: the text says nothing of a body
    }
  }
  throw new MarketError('invalid_header', { message: 'X-Mandate takes a JSON object in base64url.' });
}
