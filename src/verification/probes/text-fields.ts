/** Finds the text fields of a valid input, and replaces the text in them. */

const MAX_FIELDS = 8;
type Path = (string | number)[];

/**
 * Yields variants of `input` with `text` in one of its text fields, longest field first. Not all are valid under the
 * schema.
 */
export function* withText(input: string, text: string): Generator<string> {
  const value = JSON.parse(input) as unknown;
  const fields = textPaths(value)
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_FIELDS);
  for (const { path } of fields) yield JSON.stringify(replaced(value, path, text));
}

function textPaths(root: unknown): { path: Path; length: number }[] {
  const found: { path: Path; length: number }[] = [];
  const rest: { value: unknown; path: Path }[] = [{ value: root, path: [] }];
  for (let next = rest.shift(); next; next = rest.shift()) {
    const { value, path } = next;
    if (typeof value === 'string') found.push({ path, length: value.length });
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value))
        rest.push({ value: inner, path: [...path, Array.isArray(value) ? Number(name) : name] });
  }
  return found;
}

function replaced(value: unknown, path: Path, text: string): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return text;
  if (Array.isArray(value))
    return (value as unknown[]).map((inner, at) => (at === name ? replaced(inner, rest, text) : inner));
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === name ? replaced(inner, rest, text) : inner]),
  );
}

/** Names of fields that take ordinary sentences. */
const SENTENCE_FIELD =
  /^(?:.*_)?(?:text|message|prompt|question|content|document|body|comment|review|note|article|paragraph|sentence|passage|transcript|story|feedback)s?$/i;

/** The input with a sentence in each field that takes sentences; undefined when it has none. */
export function withSentence(input: string, sentence: string): string | undefined {
  let found = false;
  const text = JSON.stringify(JSON.parse(input), (name, value: unknown) => {
    if (typeof value !== 'string' || !SENTENCE_FIELD.test(name)) return value;
    found = true;
    return sentence;
  });
  return found ? text : undefined;
}

const PEOPLE = ['Mara', 'Jonas', 'Priya', 'Tom', 'Aiko', 'Lena', 'Omar', 'Ines'];
const PLACES = ['Lisbon', 'Pune', 'Oslo', 'Toronto', 'Nairobi', 'Graz', 'Lima', 'Osaka'];
const THINGS = [
  'the invoice',
  'a small blue bicycle',
  'the annual report',
  'two crates of apples',
  'a new lamp',
];
const SENTENCES: readonly string[] = [
  '{person} moved to {place} last spring and likes it there very much.',
  'Could you send {thing} to {person} before the end of the week?',
  'The train from {place} was late, so {person} missed the meeting.',
  'We ordered {thing} on Monday; it arrived in {place} after {number} days.',
  'What should I see in {place} if I have only {number} hours?',
  '{person} said that {thing} costs {number} euros, which seems too much.',
  'I am very happy with {thing}. Thank you, {person}!',
  'The workshop in {place} starts at {number} o’clock; please bring {thing}.',
];

/** An ordinary sentence. */
export function sentence(random: () => number): string {
  const one = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  return one(SENTENCES)
    .replace('{person}', one(PEOPLE))
    .replace('{place}', one(PLACES))
    .replace('{thing}', one(THINGS))
    .replace('{number}', String(2 + Math.floor(random() * 20)));
}
