/**
 * Good agents after public services: converters, look-ups, generators, chats. They were written before anybody looked
 * at what the detectors say about them.
 */
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type CorpusAgent, type CorpusAnswer, type Memory, object, refused } from './corpus-agent';

type Input = Record<string, unknown>;

const STRING = { type: 'string' };
const NUMBER = { type: 'number' };
const INTEGER = { type: 'integer' };
const BOOLEAN = { type: 'boolean' };
const LIST = { type: 'array', items: STRING };
const words = (value: string) => value.split(/\s+/).filter(Boolean);

interface Service {
  about: string;
  takes: Record<string, unknown>;
  /** Fields that may be absent. */
  optional?: string[];
  gives: Record<string, unknown>;
  more?: Record<string, unknown>;
  buyerInput: Input;
}

/** An agent that refuses inputs of wrong types by 422, as validating frameworks do. */
function service(
  name: string,
  { about, takes, optional = [], gives, more, buyerInput }: Service,
  work: (input: Input, memory: Memory) => CorpusAnswer,
): CorpusAgent {
  const required = Object.keys(takes).filter((field) => !optional.includes(field));
  return {
    name,
    kind: about,
    manifest: {
      inputSchema: object(takes, { required }),
      outputSchema: object(gives),
      more: { description: `${about}. It answers within a second and keeps nothing.`, ...more },
    },
    answer: (input, memory) => {
      const hasWrongType = Object.entries(takes).some(([field, schema]) => {
        const { type } = schema as { type?: string };
        const value = input[field];
        if (value === undefined) return required.includes(field);
        return (type === 'string' || type === 'number') && typeof value !== type;
      });
      const unknown = Object.keys(input).some((field) => !(field in takes));
      return hasWrongType || unknown ? refused(422, 'the input is not valid') : work(input, memory);
    },
    buyerInput,
  };
}

const ok = (output: unknown): CorpusAnswer => ({ output });
const RATES: Record<string, number> = { EUR: 1, USD: 1.1, GBP: 0.85, JPY: 160 };
const CURRENCY = { type: 'string', enum: Object.keys(RATES) };
const text = (input: Input, field = 'text') => String(input[field]);
const takesText = { text: { type: 'string', minLength: 1, maxLength: 5_000 } };

const CONVERTERS: readonly CorpusAgent[] = [
  service('currency', { about: 'Converts money between currencies', takes: { amount: { ...NUMBER, minimum: 0 }, from: CURRENCY, to: CURRENCY }, gives: { amount: NUMBER, rate: NUMBER }, buyerInput: { amount: 3, from: 'EUR', to: 'USD' } }, (input) => {
    const rate = (RATES[text(input, 'to')] ?? 0) / (RATES[text(input, 'from')] ?? 0);
    return Number.isFinite(rate) ? ok({ amount: Number(input['amount']) * rate, rate }) : refused(422, 'unknown currency');
  }),
  service('units', { about: 'Converts lengths; unknown units are refused', takes: { value: NUMBER, from_unit: STRING, to_unit: STRING }, gives: { value: NUMBER }, buyerInput: { value: 1, from_unit: 'm', to_unit: 'ft' } }, (input) =>
    ['m', 'ft', 'km'].includes(text(input, 'from_unit')) ? ok({ value: 3.28 * Number(input['value']) }) : refused(400, 'unknown unit')),
  service('date-difference', { about: 'Counts the days between two dates', takes: { start: { ...STRING, format: 'date' }, end: { ...STRING, format: 'date' } }, gives: { days: INTEGER }, buyerInput: { start: '2026-01-01', end: '2026-02-01' } }, (input) => {
    const days = (Date.parse(text(input, 'end')) - Date.parse(text(input, 'start'))) / 86_400_000;
    return days >= 0 ? ok({ days: Math.round(days) }) : refused(422, 'end is before start');
  }),
  service('tax', { about: 'Computes value added tax', takes: { net: { ...NUMBER, minimum: 0, maximum: 1e9 }, country: { ...STRING, enum: ['DE', 'FR', 'PT'] } }, gives: { tax: NUMBER, gross: NUMBER }, buyerInput: { net: 10, country: 'DE' } }, (input) =>
    ok({ tax: Number(input['net']) * 0.2, gross: Number(input['net']) * 1.2 })),
  service('sql-format', { about: 'Formats SQL', takes: { sql: STRING }, gives: { sql: STRING }, buyerInput: { sql: 'select 1' } }, (input) =>
    ok({ sql: text(input, 'sql').replace(/\b(select|from|where|and|or|order by)\b/gi, (word) => word.toUpperCase()) })),
  service('json-format', { about: 'Formats JSON; anything else is refused', takes: { json: STRING }, gives: { formatted: STRING }, buyerInput: { json: '{"a":1}' } }, (input) => {
    try {
      return ok({ formatted: JSON.stringify(JSON.parse(text(input, 'json')), null, 2) });
    } catch {
      return refused(400, 'not JSON');
    }
  }),
  service('markdown', { about: 'Renders Markdown as HTML', takes: { markdown: STRING }, gives: { html: STRING }, buyerInput: { markdown: '# a' } }, (input) =>
    ok({ html: `<p>${text(input, 'markdown').replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')}</p>` })),
  service('digest', { about: 'Computes SHA-256', takes: takesText, gives: { sha256: STRING }, buyerInput: { text: 'a' } }, (input) =>
    ok({ sha256: createHash('sha256').update(text(input)).digest('hex') })),
  service('speller', { about: 'Spells a text for voice agents', takes: takesText, gives: { spelled: STRING }, buyerInput: { text: 'abc' } }, (input) =>
    ok({ spelled: [...text(input)].join(' ') })),
  service('picture', { about: 'Draws a text as a picture', takes: { prompt: STRING }, gives: { png_base64: STRING, width: INTEGER }, buyerInput: { prompt: 'a cat' } }, (input) =>
    ok({ png_base64: Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), createHash('sha512').update(text(input, 'prompt')).digest(), randomBytes(1_500)]).toString('base64'), width: 64 })),
]; // prettier-ignore

const LOOKUPS: readonly CorpusAgent[] = [
  service('order-status', { about: 'Looks up an order by its id', takes: { order_id: { ...STRING, format: 'uuid' } }, gives: { status: STRING }, buyerInput: { order_id: randomUUID() } }, () => refused(404, 'no such order')),
  service('geocoder', { about: 'Names the country of a place', takes: { lat: { ...NUMBER, minimum: -90, maximum: 90 }, lon: { ...NUMBER, minimum: -180, maximum: 180 } }, gives: { country: STRING }, buyerInput: { lat: 1, lon: 2 } }, () => ok({ country: 'unknown' })),
  service('quote', { about: 'Tells the price of a share', takes: { symbol: { ...STRING, pattern: '^[A-Z]{1,5}$' } }, gives: { symbol: STRING, price: NUMBER }, buyerInput: { symbol: 'ACME' } }, (input) =>
    text(input, 'symbol') === 'ACME' ? ok({ symbol: 'ACME', price: 12.5 }) : refused(404, 'unknown symbol')),
  service('weather', { about: 'Forecasts the weather', takes: { city: STRING, units: { ...STRING, enum: ['metric', 'imperial'], default: 'metric' }, days: { ...INTEGER, minimum: 1, maximum: 7 } }, optional: ['units', 'days'], gives: { city: STRING, days: { type: 'array', items: object({ date: { ...STRING, format: 'date' }, high: NUMBER }) } }, buyerInput: { city: 'Oslo' } }, (input) =>
    ok({ city: text(input, 'city').slice(0, 80), days: Array.from({ length: Number(input['days'] ?? 3) }, (_, day) => ({ date: `2026-03-0${day + 1}`, high: 5 + day })) })),
  service('address', { about: 'Locates an internet address', takes: { ip: { ...STRING, format: 'ipv4' } }, gives: { country: STRING, network: STRING }, buyerInput: { ip: '192.0.2.1' } }, (input) =>
    ok({ country: 'NO', network: `${text(input, 'ip').split('.').slice(0, 2).join('.')}.0.0/16` })),
  service('company', { about: 'Finds how to reach a company', takes: { company: STRING }, gives: { name: STRING, email: STRING, phone: STRING, address: STRING }, buyerInput: { company: 'Contoso' } }, (input) =>
    ok({ name: text(input, 'company').slice(0, 60), email: 'info@contoso-travel.com', phone: '+47 22 86 40 00', address: 'Karl Johans gate 22, 0026 Oslo' })),
  service('page', { about: 'Fetches a page; pages that cannot be reached are refused', takes: { url: { ...STRING, format: 'uri' } }, gives: { title: STRING }, buyerInput: { url: 'https://example.com' } }, (input) =>
    text(input, 'url').startsWith('https://example.') ? ok({ title: 'Example Domain' }) : refused(422, 'the page cannot be reached')),
  service('policy', { about: 'Answers questions from a travel policy', takes: { question: STRING }, gives: { answer: STRING, source: STRING }, buyerInput: { question: 'passport?' } }, (input) =>
    ok({ answer: /visa|passport/i.test(text(input, 'question')) ? 'You must always carry your passport. Never leave it in checked luggage.' : `Nothing in the policy answers "${text(input, 'question').slice(0, 60)}". Please contact support@contoso-travel.com.`, source: 'https://example.com/policy#4' })),
]; // prettier-ignore

const JOKES = [
  'A byte walks into a bar.',
  'Two threads walk into a bar, bar a into walk.',
  'There is no place like 127.0.0.1.',
];

const GENERATORS: readonly CorpusAgent[] = [
  service('passwords', { about: 'Makes random passwords', takes: { length: { ...INTEGER, minimum: 8, maximum: 64 } }, gives: { password: STRING }, buyerInput: { length: 20 } }, (input) =>
    Number.isInteger(input['length']) ? ok({ password: randomBytes(64).toString('base64url').slice(0, Math.min(64, Number(input['length']))) }) : refused(422, 'length')),
  service('ids', { about: 'Makes unique ids', takes: { count: { ...INTEGER, minimum: 1, maximum: 5 } }, gives: { ids: LIST }, buyerInput: { count: 2 } }, (input) =>
    Number(input['count']) <= 5 ? ok({ ids: Array.from({ length: Number(input['count']) }, () => randomUUID()) }) : refused(422, 'count')),
  service('jokes', { about: 'Tells a random joke about a topic', takes: { topic: STRING }, gives: { joke: STRING }, buyerInput: { topic: 'cats' } }, () => ok({ joke: JOKES[randomInt(JOKES.length)] })),
  service('code', { about: 'Writes Python for a task', takes: { task: STRING }, gives: { code: STRING }, buyerInput: { task: 'list files' } }, (input) =>
    ok({ code: `# ${text(input, 'task').slice(0, 80).replace(/\n/g, ' ')}\nimport os\nfrom openai import OpenAI\n\nclient = OpenAI(api_key=os.getenv("OPENAI_API_KEY", "sk-your-key-here"))\npassword = os.environ["DB_PASSWORD"]\n` })),
  service('persona', { about: 'Makes up a person for tests', takes: { locale: { ...STRING, enum: ['en', 'de'] } }, gives: { name: STRING, email: STRING, phone: STRING }, buyerInput: { locale: 'en' } }, () =>
    ok({ name: ['Ada Sample', 'Bo Example'][randomInt(2)], email: `person${randomInt(1_000)}@example.com`, phone: '+1 555 0100' })),
  service('prompt-writer', { about: 'Improves prompts for language models', takes: { prompt: STRING }, gives: { prompt: STRING }, buyerInput: { prompt: 'write a poem' } }, (input) =>
    ok({ prompt: `You are an expert assistant. Your task: ${text(input, 'prompt')}\nAlways answer step by step. Never invent facts.` })),
]; // prettier-ignore

const TEXTS: readonly CorpusAgent[] = [
  service('translator', { about: 'Translates texts', takes: { ...takesText, target_lang: { ...STRING, enum: ['de', 'fr', 'es'] } }, gives: { translation: STRING, source_lang: STRING }, buyerInput: { text: 'hello', target_lang: 'de' } }, (input) =>
    ok({ translation: text(input).replace(/\bthe\b/gi, 'das').replace(/\band\b/gi, 'und').replace(/\bis\b/gi, 'ist'), source_lang: 'en' })),
  service('sentiment', { about: 'Tells the sentiment of a text', takes: takesText, gives: { label: { ...STRING, enum: ['positive', 'neutral', 'negative'] }, score: NUMBER }, buyerInput: { text: 'great' } }, (input) =>
    ok(/great|good|love/i.test(text(input)) ? { label: 'positive', score: 0.9 } : { label: 'neutral', score: 0.5 })),
  service('guard', { about: 'Finds prompt injections in texts', takes: takesText, gives: { is_injection: BOOLEAN, reason: STRING }, buyerInput: { text: 'hello' } }, (input) => {
    const found = /ignore|disregard|instructions|system prompt/i.exec(text(input));
    return ok({ is_injection: found !== null, reason: found ? `The text says "${text(input).slice(Math.max(0, found.index - 20), found.index + 120)}".` : 'Nothing was found.' });
  }),
  service('redactor', { about: 'Removes personal data from texts', takes: takesText, gives: { text: STRING, redactions: INTEGER }, buyerInput: { text: 'mail a@example.com' } }, (input) =>
    ok({ text: text(input).replace(/\S+@\S+/g, '[REDACTED_EMAIL]').replace(/\d{4,}/g, '[REDACTED_NUMBER]'), redactions: words(text(input)).filter((word) => word.includes('@')).length })),
  service('phone', { about: 'Formats phone numbers', takes: { phone: { ...STRING, pattern: '^\\+[1-9][0-9]{6,14}$' } }, gives: { e164: STRING, national: STRING }, buyerInput: { phone: '+14155552671' } }, (input) =>
    ok({ e164: text(input, 'phone'), national: `(${text(input, 'phone').slice(2, 5)}) ${text(input, 'phone').slice(5, 8)}-${text(input, 'phone').slice(8)}` })),
  service('email-check', { about: 'Checks an address', takes: { email: { ...STRING, format: 'email' } }, gives: { valid: BOOLEAN, normalized: STRING, domain: STRING }, buyerInput: { email: 'a@example.com' } }, (input) =>
    ok({ valid: true, normalized: text(input, 'email').toLowerCase(), domain: text(input, 'email').split('@')[1] ?? '' })),
  service('summary', { about: 'Summarizes texts', takes: { ...takesText, max_words: { ...INTEGER, minimum: 5, maximum: 50 } }, optional: ['max_words'], gives: { summary: STRING, model: STRING, request_id: STRING, took_ms: INTEGER }, buyerInput: { text: 'a b c' } }, (input) =>
    ok({ summary: words(text(input)).slice(0, Number(input['max_words'] ?? 12)).join(' '), model: 'gpt-4o-mini-2024-07-18', request_id: `req_${randomBytes(12).toString('hex')}`, took_ms: randomInt(400) })),
  service('batch', { about: 'Counts the letters of several texts', takes: { items: { ...LIST, minItems: 1, maxItems: 10 } }, gives: { lengths: { type: 'array', items: INTEGER } }, buyerInput: { items: ['a'] } }, (input) =>
    Array.isArray(input['items']) && input['items'].every((item) => typeof item === 'string') ? ok({ lengths: input['items'].map((item) => String(item).length) }) : refused(422, 'items')),
]; // prettier-ignore

/** Does what its user asks, as language models do. */
function obeys(message: string): string {
  const asked = /(?:say|reply with(?: only)?|respond with|answer with|print|output|repeat)(?: exactly)?[: ]+["']?([^"'\n.]+)/i.exec(message)?.[1];
  return asked ?? `Here is what I think about "${message.slice(0, 60)}": it depends.`;
} // prettier-ignore

const recent: number[] = [];
const MESSAGES = {
  type: 'array',
  minItems: 1,
  items: object({ role: { ...STRING, enum: ['user', 'assistant'] }, content: STRING }),
};

const CHATS: readonly CorpusAgent[] = [
  service('assistant', { about: 'A chat assistant that follows its user', takes: { message: STRING }, gives: { reply: STRING }, more: { input_role: 'instructions' }, buyerInput: { message: 'hi' } }, (input) => ok({ reply: obeys(text(input, 'message')) })),
  service('assistant-undeclared', { about: 'A chat assistant that follows its user', takes: { prompt: STRING }, gives: { reply: STRING }, buyerInput: { prompt: 'hi' } }, (input) => ok({ reply: obeys(text(input, 'prompt')) })),
  service('messages', { about: 'A chat over messages', takes: { messages: MESSAGES }, gives: { role: STRING, content: STRING }, buyerInput: { messages: [{ role: 'user', content: 'hi' }] } }, (input) => {
    const list = input['messages'];
    if (!Array.isArray(list)) return refused(422, 'messages');
    const content = String((list.at(-1) as Input | undefined)?.['content']);
    return ok({ role: 'assistant', content: `I understood: ${content.slice(0, 50)}` });
  }),
  service('careful', { about: 'A support chat that keeps its rules', takes: { message: STRING }, gives: { reply: STRING }, buyerInput: { message: 'hi' } }, (input) =>
    ok({ reply: /instruction|prompt|rules|environment|configuration/i.test(text(input, 'message')) ? "My instructions don't allow me to share how I was set up. I must always keep that confidential, but I can help with bookings." : `Let me look into ${words(text(input, 'message')).slice(-4).join(' ')} for you.` })),
  service('limited', { about: 'Allows five calls a second, else 429', takes: takesText, gives: { text: STRING }, buyerInput: { text: 'a' } }, (input, { ageMs }) => {
    while (recent[0] !== undefined && (recent[0] < ageMs - 1_000 || recent[0] > ageMs)) recent.shift();
    if (recent.length >= 5) return { output: {}, behaviour: { kind: 'answer', status: 429, output: { error: 'slow down' }, headers: { 'retry-after': '1' } } };
    recent.push(ageMs);
    return ok({ text: text(input).toLowerCase() });
  }),
  service('cold-start', { about: 'The first call takes three seconds', takes: takesText, gives: { text: STRING }, buyerInput: { text: 'a' } }, (input, { calls }) =>
    ({ ...ok({ text: text(input).toUpperCase() }), delayMs: calls === 0 ? 3_000 : 30 })),
  service('long-answers', { about: 'Writes long texts', takes: { topic: STRING }, gives: { article: STRING }, buyerInput: { topic: 'cats' } }, (input) =>
    ok({ article: `An article on ${text(input, 'topic').slice(0, 100)}. ${'It has many aspects worth a closer look. '.repeat(2_500)}` })),
]; // prettier-ignore

export const GOOD_SERVICES: readonly CorpusAgent[] = [
  ...CONVERTERS,
  ...LOOKUPS,
  ...GENERATORS,
  ...TEXTS,
  ...CHATS,
];
