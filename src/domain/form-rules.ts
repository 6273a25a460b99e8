import { NOT_AN_INSTANT } from './instant';

/**
 * What a text field must be, in a sentence, for the patterns and formats of the contract. People cannot read patterns.
 */

const SENTENCES: Readonly<Record<string, string>> = {
  '\\S': 'must have a character that is not a space',
  '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\u0000-\\u001f\\u007f-\\u009f\\s][^\\u0000-\\u001f\\u007f-\\u009f]*$':
    'must have a character that is not a space, and no control characters',
  '^(usr|org)_[0-9a-f]{32}$':
    'must be the id of an account or an organisation, such as org_ and 32 hexadecimal digits',
  '^(usr|org)_[0-9a-f]{32}$|^dev_[a-z0-9-]{1,90}$':
    'must be the id of an account, an organisation or a developer',
  '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$':
    'must be a domain in lower case, such as example.com',
  '^[\\x20-\\x7e]+$': 'must have only letters, digits and signs of ASCII',
  '^[^\\u0000-\\u001f\\u007f-\\u009f]*\\S[^\\u0000-\\u001f\\u007f-\\u009f]*$':
    'must have a character that is not a space, and no control characters',
  '^[a-z]{3}_[0-9a-f]{32}$': 'must be the id of an account, such as usr_ and 32 hexadecimal digits',
  '^https://[^\\s?#]+$': 'must be an address that begins with https:// and has no query and no fragment',
  '^agt_[a-z0-9_]+_v[0-9]+$': 'must be the id of an agent, such as agt_pdf_parser_v1',
  '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$':
    'must have at most 40 letters, digits or the characters _ . - and begin with a letter or a digit',
  '^[^\\u0000-\\u001f\\u007f-\\u009f]+$': 'must have no control characters',
  '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}=[^\\u0000-\\u001f\\u007f-\\u009f]{1,100}$':
    'must be a pair such as project=atlas',
  '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}(=[^\\u0000-\\u001f\\u007f-\\u009f]{1,100})?$':
    'must be the name of a pair, or a pair such as project=atlas',
  '^(day|agent|key|tag|member)(,(day|agent|key|tag|member)){0,4}$':
    'must be some of day, agent, key, tag and member, with commas between them',
  '^[A-Za-z0-9_.:-]{1,64}$': 'must have 1 to 64 letters, digits or the characters _ . : -',
  '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$': 'must be a time zone, such as Europe/Berlin or UTC',
  '^(usr|org)_[0-9a-f]{32}$|^dev_[a-z0-9]+(-[a-z0-9]+)*$':
    'must be the id of an account, an organisation or a developer, such as dev_ada-lovelace',
  '^dev_[a-z0-9]+(-[a-z0-9]+)*$': 'must be the id of a developer, such as dev_ada-lovelace',
  '^(dev_)?[a-z0-9]+(-[a-z0-9]+)*$': 'must be the id or the handle of a developer, such as ada-lovelace',
  '^[a-z0-9]+(-[a-z0-9]+)*$':
    'must be lower-case words of letters and digits with hyphens between them, such as pdf-parser',
  '^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$':
    'must be three numbers with dots between them and without leading zeros, such as 1.4.0',
  '^(0|[1-9][0-9]{0,5})(\\.[0-9]{1,3})?$':
    'must be a decimal number in quotes with at most 3 decimals, such as "0.25"',
  '^[1-9][0-9]{0,6}(\\.[0-9]{1,6})?$':
    'must be a decimal number in quotes with at most 6 decimals, such as "83.1"',
  '^https?://': 'must be an address that begins with https:// or http://',
  '^https://[A-Za-z0-9\\[][A-Za-z0-9.:\\]-]*([/?#][\\x21-\\x7e]*)?$':
    'must be an address that begins with https:// and a host, and has no spaces',
  '^0x[0-9a-fA-F]{40}$': 'must be an address of 0x and 40 hexadecimal digits',
  '^eip155:[1-9][0-9]{0,15}:0x[0-9a-fA-F]{40}$':
    'must be eip155, the number of a chain and an address, such as eip155:1:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432',
  '^(0|[1-9][0-9]{0,77})$': 'must be a whole number in quotes without leading zeros, such as "22"',
  '^[A-Z]{2}$': 'must be a country code of two capital letters, such as DE',
  '^[A-Za-z0-9 -]+$': 'must have letters, digits, spaces and hyphens only',
  '^[\\x21-\\x7e]+$': 'must have visible ASCII characters only, without spaces',
  '^[A-Za-z0-9_-]{43}$': 'must be 32 bytes in base64url, which are 43 characters',
  '^[0-9]{4}\\.[1-9][0-9]{0,3}$': 'must be a year and a number, such as 2026.1',
  '^(mdt_[A-Za-z0-9_-]{1,124}|sub_[0-9a-f]{64})$':
    'must be the id of a mandate, which begins with mdt_ or sub_',
  '^(ach|swift|upi)-[0-9]{8}-[0-9]{1,4}$': 'must be the id of a payout file, such as swift-20261102-1',
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}$': 'must be a date, such as 2026-11-02',
  '^2[0-9]{3}-(0[1-9]|1[0-2])$': 'must be a month, such as 2026-11',
  '^[0-9]{1,16}$': 'must be the id of an event of the stream: at most 16 digits',
  '^[0-9a-f]{64}$': 'must be a SHA-256 of 64 lower-case hexadecimal digits',
};

const ID = /^\^([a-z]{2,4}_)\[0-9a-f\]\{32\}\$$/;
const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address, such as name@example.com',
  'date-time': 'must be a time in ISO 8601, such as 2026-11-02T00:00:00Z',
  instant: NOT_AN_INSTANT,
  cursor: 'must be a cursor of this list',
  date: 'must be a date, such as 2026-11-02',
  uri: 'must be a complete address, such as https://example.com/',
  uuid: 'must be a UUID',
  text: 'must not contain NUL characters or lone surrogates',
};

/** The sentence for a pattern of the contract; undefined for an unknown one. */
export function sentenceOfPattern(pattern: string): string | undefined {
  const [, prefix] = ID.exec(pattern) ?? [];
  if (prefix !== undefined) return `must be an id of ${prefix} and 32 lower-case hexadecimal digits`;
  if (pattern.includes('@')) return FORMATS['email'];
  if (pattern.includes('T')) return FORMATS['date-time'];
  return SENTENCES[pattern];
}

/** The sentence for a format; undefined for an unknown one. */
export function sentenceOfFormat(format: string): string | undefined {
  return FORMATS[format];
}
