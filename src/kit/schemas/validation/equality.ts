import { isRecord } from '../../../domain/json-value';

/** A text that two JSON values have in common only if JSON Schema calls them equal (core §4.2.2). */
export function equalityKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${equalityKey(value[name])}`).join(',')}}`;
}

/** Returns a check for membership in a list of JSON values. */
export function membership(values: readonly unknown[]): (value: unknown) => boolean {
  const simple = new Set(values.filter((value) => typeof value !== 'object' || value === null));
  const keys = new Set(
    values.filter((value) => typeof value === 'object' && value !== null).map(equalityKey),
  );
  return (value) =>
    typeof value === 'object' && value !== null
      ? keys.size > 0 && keys.has(equalityKey(value))
      : simple.has(value);
}

/** Returns the positions of two equal items, or undefined. Linear in the size of the items. */
export function equalItems(items: readonly unknown[]): [number, number] | undefined {
  const simple = new Map<unknown, number>();
  const others = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const isSimple = typeof item !== 'object' || item === null;
    const key = isSimple ? undefined : equalityKey(item);
    const before = key === undefined ? simple.get(item) : others.get(key);
    if (before !== undefined) return [before, index];
    if (key === undefined) simple.set(item, index);
    else others.set(key, index);
  }
  return undefined;
}
