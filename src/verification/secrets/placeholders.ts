/** Recognizes values that a person typed in place of a secret: runs, repetitions, few characters. */

/** Longer runs never occur by chance in a random key. */
const MOST_EQUAL = 5;
const MOST_ASCENDING = 6;
const MOST_LOOKED_AT = 4_096;
/** Shorter values in base64 hardly have runs of equal bytes. */
const LEAST_BINARY = 80;

/** True for values such as `aaaaaaaa`, `abcdef123456` and `abc1abc1abc1`, which no generator of keys makes. */
export function isMadeUp(secret: string): boolean {
  if (secret.startsWith('-----')) return isMadeUpKey(secret);
  const text = secret.slice(0, MOST_LOOKED_AT);
  // In base64, bytes that are all zero or all one are runs of these characters, which long tokens have.
  const written = text.length < LEAST_BINARY ? text : text.replaceAll(/A{4,}|[/_]{4,}/g, '~');
  return hasRun(written.toLowerCase()) || isRepeated(text.toLowerCase());
}

/** Words and numbers between separators, such as `text-embedding-3-small`, or a digest that names its algorithm. */
const PHRASE = /^[a-z]{1,40}(?:[-_./:]{1,200}[a-z0-9]{1,200}){1,400}$/i;
const DIGEST = /^(?:sha\d{1,3}|md5)[-:]/i;
const UUID_AT_END = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** A part of a phrase is no word if letters and digits change so often in it. */
const RANDOM_PARTS = [
  { length: 10, changes: 4 },
  { length: 16, changes: 2 },
] as const;

/** True for phrases of words and numbers, which heuristic rules would mistake for random values. */
export function isPhrase(text: string): boolean {
  if (!PHRASE.test(text)) return false;
  if (DIGEST.test(text)) return true;
  return !UUID_AT_END.test(text) && !text.split(/[-_./:]/).some(isRandom);
}

/** So many small consonants in a row are in no word. */
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6}/;

function isRandom(part: string): boolean {
  const changes = part.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0;
  if (CONSONANTS.test(part)) return true;
  const isMixed = /[a-z]/.test(part) && /[A-Z]/.test(part);
  return RANDOM_PARTS.some(
    (least) => part.length >= least.length && changes + Number(isMixed) >= least.changes,
  );
}

/** True for a block whose content is no base64 text, such as `-----BEGIN PRIVATE KEY-----\nYOUR KEY\n…`. */
function isMadeUpKey(block: string): boolean {
  const [content = ''] = block.replace(/^-----[^-]*-----/, '').split('-----', 1);
  const body = content.replace(/\\[nr]|[\s"'+,\\]/g, '');
  if (/\.\.\.|…|\*\*\*|<|your|xxxx/i.test(body)) return true;
  const data = body.replace(/[A-Za-z0-9-]{1,200}:[^A-Za-z0-9+/=]{0,200}[A-Z0-9,-]+/g, '');
  return new Set(data.slice(0, MOST_LOOKED_AT)).size < 16;
}

function hasRun(text: string): boolean {
  let equal = 1;
  let ascending = 1;
  for (let at = 1; at < text.length; at += 1) {
    const step = text.charCodeAt(at) - text.charCodeAt(at - 1);
    equal = step === 0 ? equal + 1 : 1;
    ascending = step === 1 ? ascending + 1 : 1;
    if (equal > MOST_EQUAL || ascending > MOST_ASCENDING) return true;
  }
  return false;
}

/** True when the end of the text repeats one part of up to 12 characters at least three times. */
function isRepeated(text: string): boolean {
  const body = text.slice(-36);
  for (let length = 1; length <= 12; length += 1) {
    const part = body.slice(-length);
    if (body.length >= length * 3 && body.endsWith(part.repeat(3)))
      return length > 1 || body.endsWith(part.repeat(6));
  }
  return false;
}
