import fc from 'fast-check';
import { createSecret, MASK } from './masking';

const KEY = 'sk_live_51H8x-Q/z+9"\\Zé=kP4';

/** What an agent may make of a header's value before it sends it back. */
const FORMS: Record<string, (value: string) => string> = {
  'as it is': (value) => value,
  'in lower case': (value) => value.toLowerCase(),
  'as JSON': (value) => JSON.stringify(value),
  'as JSON inside JSON': (value) => JSON.stringify(JSON.stringify(value)),
  'as JSON of escapes only': (value) =>
    `"${[...value].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
  'as JSON with escaped slashes': (value) => JSON.stringify(value).replaceAll('/', '\\/'),
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (value) => encodeURIComponent(encodeURIComponent(value)),
  'percent-encoded in lower case': (value) =>
    encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
  'as a form': (value) => new URLSearchParams({ value }).toString(),
  'as HTML': (value) =>
    value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;').replaceAll('<', '&lt;'),
  'in hexadecimal': (value) => Buffer.from(value).toString('hex'),
  'in base64': (value) => Buffer.from(value).toString('base64'),
  'in base64url': (value) => Buffer.from(value).toString('base64url'),
  'in base64 behind one byte': (value) => Buffer.from(`:${value}`).toString('base64'),
  'in base64 behind two bytes': (value) => Buffer.from(`x:${value}:y`).toString('base64'),
  'in base64 of Latin-1': (value) => Buffer.from(value, 'latin1').toString('base64'),
};

/** The longest part of the secret's text that is still to be read, in any of the forms. */
function leaks(masked: string, form: (value: string) => string, secret: string): boolean {
  const trace = form(secret).toLowerCase();
  const window = 12;
  for (let at = 0; at + window <= trace.length; at += 1) {
    if (masked.toLowerCase().includes(trace.slice(at, at + window))) return true;
  }
  return false;
}

function inChunks(value: string, bytes: Buffer, cuts: readonly number[]): { output: Buffer; found: number } {
  let found = 0;
  const masker = createSecret(value).masker(() => (found += 1));
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const parts = ends.map((end, index) => masker.push(bytes.subarray(ends[index - 1] ?? 0, end)));
  return { output: Buffer.concat([...parts, masker.end()]), found };
}

const SIGNS = [...Array(94).keys()].map((index) => String.fromCharCode(0x21 + index));
/** Whatever a header may hold, but what looks like an escape itself. */
const secretText = fc.string({
  unit: fc.constantFrom(...SIGNS.filter((sign) => !'%&\\'.includes(sign))),
  minLength: 16,
  maxLength: 60,
});
const cuts = fc.array(fc.nat(), { maxLength: 20 });

describe.each(Object.entries(FORMS))('a secret %s', (_name, form) => {
  it.each([
    ['alone', KEY, KEY],
    ['as a bearer token', `Bearer ${KEY}`, KEY],
    ['as a bearer token with its scheme', `Bearer ${KEY}`, `Bearer ${KEY}`],
  ])('is masked when it was sent %s', (_how, value, echoed) => {
    const answer = `{"echo":${form(echoed)},"rest":[1,2,3]}`;
    const masked = createSecret(value).mask(answer);
    expect(leaks(masked, form, KEY)).toBe(false);
    expect(masked).toContain(MASK);
    expect(masked.endsWith(',"rest":[1,2,3]}')).toBe(true);
  });

  it('is masked wherever the stream is cut', () => {
    fc.assert(
      fc.property(secretText, fc.string(), fc.string(), cuts, (secret, before, after, where) => {
        const bytes = Buffer.from(before + form(secret) + after);
        const { output, found } = inChunks(`Bearer ${secret}`, bytes, where);
        expect(found).toBeGreaterThan(0);
        expect(output.equals(createSecret(`Bearer ${secret}`).mask(bytes))).toBe(true);
        expect(output.includes(Buffer.from(form(secret)))).toBe(false);
        expect(output.length).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 60 },
    );
  });
});

it.each(['\\/slashes\\/of\\/json', '100%25%41sure%zz', 'Tom&amp;Jerry&#39;s&quot;', '\\u0041BC\\u00e9\\\\'])(
  'is masked also when it looks like an escape: %s',
  (secret) => {
    for (const form of [FORMS['as it is'], FORMS['as JSON'], FORMS['percent-encoded'], FORMS['in base64']]) {
      expect(leaks(createSecret(secret).mask(` ${form?.(secret)} `), form ?? String, secret)).toBe(false);
    }
  },
);

it('changes nothing else, and loses nothing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), cuts, (noise, where) => {
      const { output, found } = inChunks(`Bearer ${KEY}`, Buffer.from(noise), where);
      expect(found).toBe(0);
      expect(output.equals(Buffer.from(noise))).toBe(true);
    }),
  );
});

it('keeps JSON readable around what it masks', () => {
  const echo = {
    headers: { authorization: `Bearer ${KEY}`, 'x-note': 'a\\b "c"' },
    again: [KEY, KEY + KEY],
    n: 12,
  };
  const masked = createSecret(`Bearer ${KEY}`).mask(JSON.stringify(echo));
  expect(JSON.parse(masked)).toEqual({
    headers: { authorization: `Bearer ${MASK}`, 'x-note': 'a\\b "c"' },
    again: [MASK, MASK],
    n: 12,
  });
});

it('masks what a header holds besides a token', () => {
  const basic = createSecret(`Basic ${Buffer.from('ada:correct horse').toString('base64')}`);
  expect(basic.mask('{"user":"ada","password":"correct horse"}')).toBe(
    '{"user":"ada","password":"[redacted]"}',
  );
  const cookie = createSecret('session=0123456789abcdef; theme="dark-theme-of-ada"');
  expect(cookie.mask('session is 0123456789abcdef, theme dark-theme-of-ada')).toBe(
    'session is [redacted], theme [redacted]',
  );
});

it('masks short secrets as words of their own only, and nothing of three bytes', () => {
  const short = createSecret('test');
  expect(short.mask('test: a test, "test", attested tests')).toBe('****: a ****, "****", attested tests');
  expect(inChunks('test', Buffer.from('a test'), [3, 5]).output.toString()).toBe('a ****');
  expect(inChunks('test', Buffer.from('a tests'), [6]).output.toString()).toBe('a tests');
  expect(createSecret('abc').mask('abc abc')).toBe('abc abc');
});

it('gives out at once what cannot be a part of the secret', () => {
  const masker = createSecret('Bearer zq8w7e6r5t4y').masker();
  expect(masker.push(Buffer.from('hello, world')).toString()).toBe('hello, world');
  expect(masker.push(Buffer.from('the key is zq8w7')).toString()).toBe('the key is ');
  expect(masker.push(Buffer.from('000')).toString()).toBe('zq8w7000');
  expect(masker.push(Buffer.from('zq8w7e6r5t4y')).toString()).toBe(MASK);
  expect(masker.end().toString()).toBe('');
});

it.each([
  ['backslashes', '\\'.repeat(24), '\\'.repeat(300_000)],
  ['the beginning of the secret', 'a'.repeat(8_000) + 'b', 'a'.repeat(300_000)],
  ['percent signs', '%'.repeat(24), '%25'.repeat(100_000)],
  ['ampersands', '&amp;'.repeat(8), '&amp;'.repeat(60_000)],
])('takes no long time over many %s', (_what, secret, hostile) => {
  const startedAt = performance.now();
  createSecret(secret).mask(hostile);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
