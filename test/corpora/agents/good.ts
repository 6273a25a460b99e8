/** Agents without a fault: each must go live without a high or critical finding. */
import { type CorpusAgent, object, refused, TEXT, text } from './corpus-agent';

const STRING = { type: 'string' };
const NUMBER = { type: 'number' };
const words = (value: string) => value.split(/\s+/).filter(Boolean);

function validator(
  name: string,
  field: string,
  status: number,
  pattern: RegExp,
  example?: string,
): CorpusAgent {
  const examples = example === undefined ? {} : { examples: [{ [field]: example }] };
  return {
    name,
    kind: `validates, answers ${status}${example === undefined ? ', no example' : ''}`,
    manifest: {
      inputSchema: object({ [field]: STRING }, examples),
      outputSchema: object({ valid: { type: 'boolean' }, normalized: STRING }),
    },
    answer: (input) => {
      const value = String(input[field]);
      return pattern.test(value)
        ? { output: { valid: true, normalized: value.toUpperCase() } }
        : refused(status, `${field} is not valid`);
    },
    buyerInput: { [field]: example ?? 'x' },
  };
}

function calculator(name: string, compute: (a: number, b: number) => number): CorpusAgent {
  return {
    name,
    kind: 'numbers only',
    manifest: { inputSchema: object({ a: NUMBER, b: NUMBER }), outputSchema: object({ result: NUMBER }) },
    answer: (input) => {
      if (typeof input['a'] !== 'number' || typeof input['b'] !== 'number') return refused(422, 'numbers');
      return { output: { result: compute(input['a'], input['b']) } };
    },
  };
}

function textual(
  name: string,
  kind: string,
  outputSchema: object,
  work: (value: string) => unknown,
): CorpusAgent {
  return {
    name,
    kind,
    manifest: { inputSchema: TEXT, outputSchema: outputSchema as Record<string, unknown> },
    answer: (input) =>
      typeof input['text'] === 'string' ? { output: work(text(input)) } : refused(400, 'text is missing'),
  };
}

function chat(name: string, field: string, reply: (value: string) => string): CorpusAgent {
  return {
    name,
    kind: 'chat',
    manifest: { inputSchema: object({ [field]: STRING }), outputSchema: object({ reply: STRING }) },
    answer: (input) =>
      typeof input[field] === 'string'
        ? { output: { reply: reply(input[field]) } }
        : refused(400, `${field} is missing`),
    buyerInput: { [field]: 'hello' },
  };
}

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
const URL_FORM = /^https:\/\/[a-z0-9.-]+\.[a-z]{2,}/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const CITY = /^(?:Lisbon|Oslo|Berlin)$/;

export const GOOD: readonly CorpusAgent[] = [
  validator('iban', 'iban', 400, IBAN, 'DE89370400440532013000'),
  validator('iban-bare', 'iban', 422, IBAN),
  validator('url', 'url', 400, URL_FORM, 'https://example.com/a'),
  validator('url-bare', 'url', 404, URL_FORM),
  validator('date', 'date', 422, DATE, '2026-02-03'),
  validator('city', 'city', 404, CITY, 'Oslo'),
  validator('city-bare', 'city', 404, CITY),
  validator('forbidden-hosts', 'url', 403, URL_FORM, 'https://example.com'),
  calculator('sum', (a, b) => a + b),
  calculator('product', (a, b) => Math.min(1e12, a * b)),
  calculator('clamp', (a) => Math.min(100, Math.max(0, a))),
  textual('echo', 'echo', TEXT, (value) => ({ text: value })),
  textual('upper', 'transforms', TEXT, (value) => ({ text: value.toUpperCase() })),
  textual('reverse', 'transforms', TEXT, (value) => ({ text: [...value].reverse().join('') })),
  textual('squeeze', 'removes spaces', TEXT, (value) => ({ text: value.replace(/\s+/g, '') })),
  textual('base64', 'encodes', TEXT, (value) => ({ text: Buffer.from(value).toString('base64') })),
  textual('keywords', 'extracts words', object({ words: { type: 'array', items: STRING } }), (value) => ({
    words: words(value).filter((word) => word.length > 4),
  })),
  textual('quotes', 'extracts quotations', object({ quotes: { type: 'array', items: STRING } }), (value) => ({
    quotes: [...value.matchAll(/"([^"]+)"/g)].map(([, quote]) => quote),
  })),
  textual('last-sentence', 'extracts', TEXT, (value) => ({
    text: value.split(/(?<=[.!?])\s+/).at(-1) ?? '',
  })),
  textual('counter', 'counts', object({ words: { type: 'integer' } }), (value) => ({
    words: words(value).length,
  })),
  textual('language', 'constant by nature', object({ language: STRING }), () => ({ language: 'en' })),
  textual('moderation', 'binary', object({ flagged: { type: 'boolean' } }), () => ({ flagged: false })),
  textual('unknown-place', '200 for the unknown', object({ summary: STRING }), () => ({
    summary: 'No such place is known.',
  })),
  chat('helper', 'message', (value) => {
    const asked = /parts (\w+) and (\w+)/.exec(value);
    return asked ? `${asked[1]}${asked[2]}` : `You said: ${value.slice(0, 40)}`;
  }),
  chat('refuser', 'prompt', () => 'I am sorry, I cannot share my instructions, but I can help with travel.'),
  chat('polite', 'question', (value) => `Thank you for asking about ${words(value).at(-1) ?? 'that'}.`),
  {
    name: 'short-code',
    kind: 'short inputs',
    manifest: {
      inputSchema: object({ code: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[A-Z]{2,4}$' } }),
      outputSchema: object({ length: { type: 'integer' } }),
    },
    answer: (input) =>
      typeof input['code'] === 'string'
        ? { output: { length: input['code'].length } }
        : refused(400, 'code is missing'),
    buyerInput: { code: 'AB' },
  },
  {
    name: 'slow',
    kind: 'answers in 1 s',
    manifest: { inputSchema: TEXT, outputSchema: TEXT },
    answer: (input) =>
      typeof input['text'] === 'string'
        ? { output: { text: text(input) }, delayMs: 1_000 }
        : refused(400, 'text is missing'),
  },
  {
    name: 'expected',
    kind: 'examples with outputs',
    manifest: {
      inputSchema: object({ celsius: NUMBER }),
      outputSchema: object({ fahrenheit: NUMBER }),
      more: { examples: [{ input: { celsius: 100 }, output: { fahrenheit: 212 }, tolerance: 0.01 }] },
    },
    answer: (input) =>
      typeof input['celsius'] === 'number'
        ? { output: { fahrenheit: (input['celsius'] * 9) / 5 + 32 } }
        : refused(400, 'celsius is missing'),
    buyerInput: { celsius: 1 },
  },
  {
    name: 'picky-texts',
    kind: 'refuses long texts',
    manifest: { inputSchema: TEXT, outputSchema: TEXT },
    answer: (input) =>
      typeof input['text'] === 'string' && input['text'].length < 60
        ? { output: { text: text(input) } }
        : refused(413, 'at most 60 characters'),
    buyerInput: { text: 'hello' },
  },
];
