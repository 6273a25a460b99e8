/**
 * The vocabulary of schema.org, as the package `schema-dts` has it: types, the properties of each, and the values of
 * enumerations. It is made from the release of the vocabulary.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const text = readFileSync(
  join(dirname(require.resolve('schema-dts/package.json')), 'dist/schema.d.ts'),
  'utf8',
);

/** `interface OfferBase extends ThingBase { "price"?: SchemaValue<…>; }` by name. */
const bases = new Map(
  [...text.matchAll(/^interface (\w+)Base extends ([^{]*)\{\n([^]*?)^\}/gm)].map(
    ([, name = '', parents = '', body = '']) => {
      const properties = [...body.matchAll(/^ {4}"(\w+)"\?: (.*);$/gm)];
      return [
        name,
        {
          parents: [...parents.matchAll(/(\w+)Base/g)].map(([, parent = '']) => parent),
          values: new Map(properties.map(([, property = '', value = '']) => [property, value])),
        },
      ];
    },
  ),
);
/** The base of `"@type": "Offer"`. */
const types = new Map(
  [...text.matchAll(/interface \w+Leaf extends (\w+)Base[^{]*\{\n {4}"@type": "(\w+)";/g)].map(
    ([, base = '', type = '']) => [type, base],
  ),
);

function propertyOf(base: string, property: string): string | undefined {
  const found = bases.get(base);
  if (!found) return undefined;
  const own = found.values.get(property);
  if (own !== undefined) return own;
  for (const parent of found.parents) {
    const inherited = propertyOf(parent, property);
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

/** What a JSON-LD document of schema.org says that the vocabulary does not know. */
export function vocabularyProblems(document: unknown, path = ''): string[] {
  if (Array.isArray(document))
    return document.flatMap((each, at) => vocabularyProblems(each, `${path}/${at}`));
  if (typeof document !== 'object' || document === null) return [];
  const { '@type': type, ...members } = document as Record<string, unknown>;
  const base = types.get(String(type));
  if (base === undefined) return [`${path}: no type ${String(type)}`];
  return Object.entries(members).flatMap(([name, value]) => {
    if (name === '@id' || (name === '@context' && path === '')) return [];
    const expected = propertyOf(base, name);
    if (expected === undefined) return [`${path}: ${String(type)} has no ${name}`];
    if (typeof value === 'object')
      return [
        ...kindProblems(value, expected, `${path}/${name}`),
        ...vocabularyProblems(value, `${path}/${name}`),
      ];
    return kindProblems(value, expected, `${path}/${name}`);
  });
}

const ofKind = (kind: string) => new RegExp(`\\b${kind}\\b`);

/** Whether the vocabulary expects such a value: text, a number, a member of an enumeration, or a node of a type. */
function kindProblems(value: unknown, expected: string, path: string): string[] {
  if (typeof value === 'object' && value !== null) {
    const { '@type': type } = value as Record<string, unknown>;
    const accepted =
      Array.isArray(value) || [...expected.matchAll(/\b[A-Z]\w+/g)].some(([name]) => isA(String(type), name));
    return accepted ? [] : [`${path}: no ${String(type)} is expected`];
  }
  if (typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)))
    return ofKind('Number|Integer|Text').test(expected) ? [] : [`${path}: no number is expected`];
  if (typeof value !== 'string') return [`${path}: ${typeof value}`];
  const enumerated = expected.match(/\b[A-Z]\w+/g) ?? [];
  const isMember = enumerated.some((name) => memberOf(name).includes(value));
  const isTime = ofKind('Date|DateTime').test(expected) && !Number.isNaN(Date.parse(value));
  const isText = ofKind('Text').test(expected) || (ofKind('URL').test(expected) && URL.parse(value) !== null);
  return isMember || isTime || isText ? [] : [`${path}: ${value}`];
}

/** The members of an enumeration. */
function memberOf(name: string): string[] {
  const [, union = ''] = new RegExp(`^export type ${name} = (.*);$`, 'm').exec(text) ?? [];
  return [...union.matchAll(/"([^"]+)"/g)].map(([, member = '']) => member);
}

function isA(type: string, name: string): boolean {
  const base = types.get(type);
  const climb = (at: string): boolean => at === name || (bases.get(at)?.parents ?? []).some(climb);
  return base !== undefined && climb(base);
}
