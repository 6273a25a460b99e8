import type { Request } from 'express';
import { type PresentedMandate, readPresented } from '../../domain/mandates/mandate';
import { parseStrictJson } from '../../kit/json/strict-json';
import { invalidHeader } from './field-problems';

/**
 * Reads the mandate from `X-Mandate`, for requests whose body is the agent's input: the mandate object as JSON in
 * base64url. Throws `invalid_header` for other text, `mandate_invalid` for other objects.
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
      // reported below, because the parser's message would mention a body
    }
  }
  throw invalidHeader('X-Mandate', 'X-Mandate takes a JSON object in base64url.');
}
