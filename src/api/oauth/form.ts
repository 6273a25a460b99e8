import type { Request } from 'express';
import { OauthFailure } from '../../kit/oauth/oauth-server';

/**
 * Parameters are ignored: the type defines none, and its percent-encoding is always of UTF-8 (RFC 6749, appendix B).
 */
const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;
const MAX_FIELDS = 50;

/**
 * Reads a form. A field without a value is omitted (RFC 6749, section 3.1). Throws `OauthFailure` `invalid_request` for
 * another content type, and for a field that is there twice.
 */
export async function readForm(
  req: Request,
  readBytes: <T>(work: (bytes: Buffer) => T) => Promise<T>,
): Promise<Record<string, string>> {
  if (!FORM_TYPE.test(req.headers['content-type'] ?? ''))
    throw new OauthFailure('invalid_request', 'Send application/x-www-form-urlencoded.');
  const form = Object.create(null) as Record<string, string>;
  const fields = await readBytes((bytes) => [...new URLSearchParams(bytes.toString('utf8'))]);
  if (fields.length > MAX_FIELDS)
    throw new OauthFailure('invalid_request', `A form has at most ${MAX_FIELDS} fields.`);
  const names = new Set<string>();
  for (const [name, value] of fields) {
    if (names.has(name))
      throw new OauthFailure('invalid_request', `The parameter ${name.slice(0, 80)} is there twice.`);
    names.add(name);
    if (value !== '') form[name] = value;
  }
  return form;
}
