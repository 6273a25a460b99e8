/** The header `Prefer` of a call (RFC 7240). What is not understood is ignored, as the standard requires. */
import type { Request } from 'express';

/** The caller wants a response before the call has ended. */
export interface AsyncPreference {
  /** How long the caller waits for the answer first. */
  waitMs: number;
  /** What is applied, for `Preference-Applied` of a response before the end. */
  applied: string;
}

/** No call takes longer. */
const MOST_SECONDS = 300;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** `respond-async`, and how long to `wait`; undefined without the former. */
export function asyncPreferenceOf(req: Pick<Request, 'get'>): AsyncPreference | undefined {
  const preferences = read(req.get('prefer') ?? '');
  if (preferences.get('respond-async') !== '') return undefined;
  const wait = preferences.get('wait') ?? '';
  if (!/^[0-9]{1,9}$/.test(wait)) return { waitMs: 0, applied: 'respond-async' };
  const seconds = Math.min(Number(wait), MOST_SECONDS);
  return { waitMs: seconds * 1_000, applied: `respond-async, wait=${seconds}` };
}

/** The value of each preference, by its name in lower case. The first of several with one name counts. */
function read(header: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const preference of split(header, ',')) {
    // Parameters follow a semicolon.
    const [named = ''] = split(preference, ';');
    const [name = '', ...values] = named.split('=');
    const key = name.trim().toLowerCase();
    if (TOKEN.test(key) && !found.has(key)) found.set(key, unquoted(values.join('=').trim()));
  }
  return found;
}

/** The parts between separators outside of quoted strings. A quoted string that is not closed has the rest. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...parts, text.slice(begin)];
}

function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value)?.[1];
  return quoted === undefined ? value : quoted.replace(/\\(.)/g, '$1');
}
