/**
 * The words of the tools that an MCP server lists, for the search (ADR 0268). The list is untrusted: each tool gives a
 * bounded part, so that neither a long description nor thousands of tools take all the room.
 */
import { asRecord } from '../../json-value';

export interface ToolWords {
  /** Names and titles. */
  names: string;
  /** Descriptions, and the names, titles and descriptions of the properties of the schemas. */
  texts: string;
}

/** Further tools are not read. */
const MOST_TOOLS = 500;
/** Characters of all tools. */
const MOST_OF_NAMES = 8_000;
const MOST_OF_TEXTS = 16_000;
/** Characters of one tool. */
const MOST_OF_NAME = 200;
const MOST_OF_DESCRIPTION = 600;
const MOST_OF_PROPERTIES = 600;
/** How deep properties are looked for in a schema, and how many of its parts are looked at. */
const MOST_DEPTH = 8;
const MOST_PARTS = 500;

/** The searchable words of a list of tools, in its order. */
export function toolWords(tools: readonly Record<string, unknown>[]): ToolWords {
  const names: string[] = [];
  const texts: string[] = [];
  for (const { name, title, annotations, description, inputSchema, outputSchema } of tools.slice(
    0,
    MOST_TOOLS,
  )) {
    const titles = [wordsOf(name), title, asRecord(annotations)['title']];
    names.push(joined(titles, MOST_OF_NAME));
    texts.push(joined([description], MOST_OF_DESCRIPTION));
    texts.push(joined(propertyTexts([inputSchema, outputSchema]), MOST_OF_PROPERTIES));
  }
  return { names: joined(names, MOST_OF_NAMES), texts: joined(texts, MOST_OF_TEXTS) };
}

/** A name as it is and, if it joins words by capitals, these words. */
function wordsOf(name: unknown): string {
  if (typeof name !== 'string') return '';
  const apart = name.slice(0, MOST_OF_NAME).replace(/(\p{Ll}|\d)(?=\p{Lu})/gu, '$1 ');
  return apart === name ? name : `${name} ${apart}`;
}

/** The names, titles and descriptions of all properties of the schemas, outer ones first. */
function propertyTexts(schemas: readonly unknown[]): unknown[] {
  const texts: unknown[] = [];
  let parts = schemas;
  let looked = 0;
  for (let depth = 0; depth < MOST_DEPTH && parts.length > 0 && looked < MOST_PARTS; depth += 1) {
    const inner: unknown[] = [];
    for (const part of parts) {
      if ((looked += 1) > MOST_PARTS) break;
      if (Array.isArray(part)) inner.push(...(part as unknown[]).slice(0, MOST_PARTS));
      const schema = asRecord(part);
      for (const [name, value] of Object.entries(asRecord(schema['properties'])).slice(0, MOST_PARTS)) {
        const property = asRecord(value);
        texts.push(wordsOf(name), property['title'], property['description']);
        inner.push(property);
      }
      inner.push(...INNER.map((keyword) => schema[keyword]).filter((value) => typeof value === 'object'));
    }
    parts = inner;
  }
  return texts;
}

const INNER = ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'] as const;

/** The texts among the values, as far as Postgres can store them, up to a number of characters. */
function joined(values: readonly unknown[], most: number): string {
  const texts = values.filter((value): value is string => typeof value === 'string' && value !== '');
  let text = '';
  for (const value of texts) {
    if (text.length >= most) break;
    text += `${text && '\n'}${value.slice(0, most - text.length)}`;
  }
  // eslint-disable-next-line no-control-regex -- Postgres stores no NUL.
  return text.slice(0, most).replaceAll(/[\u0000\p{Cs}]/gu, ' ');
}
