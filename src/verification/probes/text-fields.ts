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
