import type { Request } from 'express';
import { OauthFailure } from '../../kit/oauth/oauth-server';

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-?8"?[ \t]*)?$/i;
const MAX_FIELDS = 50;

/** Reads a form. Throws `OauthFailure` `invalid_request` for another content type, and for a field that is there twice. */
export async function readForm(
  req: Request,
  readBytes: <T>(work: (bytes: Buffer) => T) => Promise<T>,
): Promise<Record<string, string>> {
  if (!FORM_TYPE.test(req.headers['content-type'] ?? ''))
    throw new OauthFailure('invalid_request', 'Send application/x-www-form-urlencoded in UTF-8.');
  const form = Object.create(null) as Record<string, string>;
  const fields = await readBytes((bytes) => [...new URLSearchParams(bytes.toString('utf8'))]);
  if (fields.length > MAX_FIELDS)
    throw new OauthFailure('invalid_request', `A form has at most ${MAX_FIELDS} fields.`);
  for (const [name, value] of fields) {
    if (name in form)
      throw new OauthFailure('invalid_request', `The parameter ${name.slice(0, 80)} is there twice.`);
    form[name] = value;
  }
  return form;
}
