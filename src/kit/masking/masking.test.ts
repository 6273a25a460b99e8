import fc from 'fast-check';
import { MASK } from './masked-output';
import { createHint, createSecret } from './masking';
import { secretLength, secretsInHeader } from './secrets-in-header';

const ofHeader = (value: string) => createSecret(secretsInHeader(value));

const KEY = 'sk_live_51H8x-Q/z+9"\\Zé=kP4';

/** The encodings in which an agent may send a header's value back. */
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
  const masker = ofHeader(value).masker(() => (found += 1));
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const parts = ends.map((end, index) => masker.push(bytes.subarray(ends[index - 1] ?? 0, end)));
  return { output: Buffer.concat([...parts, masker.end()]), found };
}

const SIGNS = [...Array(94).keys()].map((index) => String.fromCharCode(0x21 + index));
/** All characters of a header, without those that look like an escape. */
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
    const masked = ofHeader(value).mask(answer);
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
        expect(output.equals(ofHeader(`Bearer ${secret}`).mask(bytes))).toBe(true);
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
      expect(leaks(createSecret([secret]).mask(` ${form?.(secret)} `), form ?? String, secret)).toBe(false);
    }
  },
);

it('changes no other text, and loses none', () => {
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
  const masked = ofHeader(`Bearer ${KEY}`).mask(JSON.stringify(echo));
  expect(JSON.parse(masked)).toEqual({
    headers: { authorization: `Bearer ${MASK}`, 'x-note': 'a\\b "c"' },
    again: [MASK, MASK],
    n: 12,
  });
});

it('masks the parts of a header beside a token', () => {
  const basic = ofHeader(`Basic ${Buffer.from('ada:correct horse').toString('base64')}`);
  expect(basic.mask('{"user":"ada","password":"correct horse"}')).toBe(
    '{"user":"ada","password":"[redacted]"}',
  );
  const cookie = ofHeader('session=0123456789abcdef; theme="dark-theme-of-ada"');
  expect(cookie.mask('session is 0123456789abcdef, theme dark-theme-of-ada')).toBe(
    'session is [redacted], theme [redacted]',
  );
});

it('masks short secrets as words of their own only, and nothing of three bytes', () => {
  const short = createSecret(['test']);
  expect(short.mask('test: a test, "test", attested tests')).toBe('****: a ****, "****", attested tests');
  expect(inChunks('test', Buffer.from('a test'), [3, 5]).output.toString()).toBe('a ****');
  expect(inChunks('test', Buffer.from('a tests'), [6]).output.toString()).toBe('a tests');
  expect(createSecret(['abc']).mask('abc abc')).toBe('abc abc');
});

it('emits text at once that cannot be a part of the secret', () => {
  const masker = ofHeader('Bearer zq8w7e6r5t4y').masker();
  expect(masker.push(Buffer.from('hello, world')).toString()).toBe('hello, world');
  expect(masker.push(Buffer.from('the key is zq8w7')).toString()).toBe('the key is ');
  expect(masker.push(Buffer.from('000')).toString()).toBe('zq8w7000');
  expect(masker.push(Buffer.from('zq8w7e6r5t4y')).toString()).toBe(MASK);
  expect(masker.end().toString()).toBe('');
});

/** Time of the processor in ms; the least of three, because the machine is shared. */
function timeOf(work: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1_000;
  });
  return Math.min(...times);
}

const MIB = 1024 * 1024;
const ORDINARY = 'The quick brown fox jumps over the lazy dog. ';
const REPEATS = Array.from({ length: 8 }, (_none, n) => `k${n}=${'a'.repeat(900)}${n}`).join(';');

it.each([
  ['backslashes', '\\'.repeat(24), '\\'],
  ['the beginning of the secret', 'a'.repeat(8_000) + 'b', 'a'],
  ['the beginning of eight secrets', REPEATS, 'a'],
  ['the secret without its end', ('ab'.repeat(20) + 'c').repeat(190), 'ab'.repeat(20) + 'd'],
  ['percent signs', '%'.repeat(24), '%25'],
  ['ampersands', '&amp;'.repeat(8), '&amp;'],
])('costs about the same for many %s, whatever the secret is', (_what, secret, hostile) => {
  const ordinary = ofHeader('Bearer sk_live_51H8xQz9kP4aaaabbbbcccc');
  const attacked = ofHeader(secret);
  const text = Buffer.from(hostile.repeat(Math.ceil(MIB / hostile.length)));
  const quiet = timeOf(() => ordinary.mask(text));
  expect(timeOf(() => attacked.mask(text))).toBeLessThan(quiet * 6 + 200);
});

it('costs no more for a stream of single bytes that are all held back', () => {
  const masker = createSecret(['a'.repeat(4_000) + 'b']).masker();
  const one = Buffer.from('a');
  const startedAt = performance.now();
  for (let count = 0; count < 100_000; count += 1) masker.push(one);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

it('masks every one of several secrets, also if one contains another', () => {
  const secret = createSecret(['inner-secret-0123', 'an-inner-secret-0123-outside', 'agents.example.com']);
  const found: number[] = [];
  const masker = secret.masker((text) => found.push(text));
  const text = 'x inner-secret-0123 y an-inner-secret-0123-outside z https://agents.example.com/ w';
  const masked = Buffer.concat([masker.push(Buffer.from(text)), masker.end()]).toString();
  expect(masked).toBe(`x ${MASK} y ${MASK} z https://${MASK}/ w`);
  expect(found.sort()).toEqual([0, 1, 2]);
});

it('finds the texts that an input contains, and leaves them', () => {
  const secret = createSecret(['inner-secret-0123', 'an-inner-secret-0123-outside', 'agents.example.com']);
  const texts = secret.textsIn(
    Buffer.from('{"text":"is it agents\\u002eexample.com or an-inner-secret-0123?"}'),
  );
  expect([...texts].sort()).toEqual([0, 2]);
  const masker = secret.masker(undefined, { except: texts });
  const text = 'agents.example.com, inner-secret-0123, an-inner-secret-0123-outside';
  const masked = Buffer.concat([masker.push(Buffer.from(text)), masker.end()]).toString();
  expect(masked).toBe(`agents.example.com, inner-secret-0123, ${MASK}`);
});

it('recognizes a random secret that was used once by a hint', () => {
  const isIn = createHint('dGhlIHNpZ25hdHVyZSBvZiBhIGNhbGwgaXMgbG9uZw==');
  for (const [name, form] of Object.entries(FORMS)) {
    if (name === 'in lower case' || name === 'as JSON of escapes only') continue;
    const text = `{"dump":${form('v1,dGhlIHNpZ25hdHVyZSBvZiBhIGNhbGwgaXMgbG9uZw==')}}`;
    expect([name, isIn(Buffer.from(text))]).toEqual([name, true]);
  }
  expect(isIn(Buffer.from(ORDINARY.repeat(1_000)))).toBe(false);
});

it('lets the first characters of a secret pass, if it may hold back only longer beginnings', () => {
  const masker = createSecret(['agents.example.com']).masker(undefined, { leastHeld: 4 });
  expect(masker.push(Buffer.from('it is late')).toString()).toBe('it is late');
  expect(masker.push(Buffer.from(' at a')).toString()).toBe(' at a');
  expect(masker.push(Buffer.from('gents.example.com!')).toString()).toBe(`${MASK}!`);
});

it('gives another masker what it holds back', () => {
  fc.assert(
    fc.property(secretText, fc.string(), cuts, fc.nat(), (text, before, where, place) => {
      const secret = createSecret([text]);
      const bytes = Buffer.from(`${before}${text}${FORMS['as JSON']?.(text)} ${encodeURIComponent(text)}!`);
      const [cut = 0] = where.map((each) => each % bytes.length);
      const [first, second] = [secret.masker(), secret.masker()];
      const output = [first.push(bytes.subarray(0, cut))];
      output.push(second.push(first.leave()));
      const next = cut + (place % (bytes.length - cut));
      output.push(second.push(bytes.subarray(cut, next)), second.push(bytes.subarray(next)), second.end());
      expect(Buffer.concat(output).equals(secret.mask(bytes))).toBe(true);
    }),
  );
});

it.each([
  ['Bearer 0123456789abcdef', 16],
  ['0123456789', 10],
  ['Bearer 123456', 6],
  [`Basic ${Buffer.from('a-long-user-name:123456').toString('base64')}`, 6],
  [`Basic ${Buffer.from('ada:correct horse battery').toString('base64')}`, 21],
  ['session=abc; theme=a-dark-theme-of-ada', 19],
  ['user=ada; pin=123456', 6],
  ['c2VjcmV0LWtleS0xMjM0NQ==', 24],
])('counts what is secret in %s', (value, length) => expect(secretLength(value)).toBe(length));
