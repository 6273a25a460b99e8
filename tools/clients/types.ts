import { docstring, pascal, refName, type Document, type Schema } from './document';

/** Python's reserved words: a TypedDict with such a field is written as a call. */
const RESERVED = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
const HEADER = `"""The values of the API, generated from its OpenAPI document by \`npm run build\`: do not edit.

Every object is a plain \`dict\` at run time. Answers may have more fields than their type names.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict`;
const SCALARS: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/**
 * Writes each schema of the document as a Python type of its name. A nested object is a type too, named after the
 * schema and the field that has it.
 */
export class PythonTypes {
  private readonly definitions = new Map<string, string>();

  constructor(private readonly document: Document) {
    for (const name of Object.keys(document.components.schemas)) this.define(name, this.schema(name));
  }

  /** The module `types.py`. */
  source(): string {
    const names = [...this.definitions.keys()].sort();
    const sorted = names.sort((a, b) => this.depth(a) - this.depth(b) || (a < b ? -1 : 1));
    return [HEADER, ...sorted.map((name) => this.definitions.get(name) ?? '')].join('\n\n\n') + '\n';
  }

  /** The names of all types, for the import of the operations. */
  names(): string[] {
    return [...this.definitions.keys()].sort();
  }

  /** The expression of a schema's type. A nested object gets the name `name`. */
  expression(schema: Schema, name: string): string {
    if (schema.$ref) return refName(schema.$ref);
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    if (schema.anyOf) return this.union(schema.anyOf, name);
    if (Array.isArray(schema.type))
      return schema.type.map((type) => this.expression({ ...schema, type }, name)).join(' | ');
    if (schema.allOf || isObject(schema)) return this.object(schema, name);
    if (schema.type === 'array') return `list[${this.expression(schema.items ?? {}, singular(name))}]`;
    return SCALARS[schema.type ?? ''] ?? 'Any';
  }

  private union(members: Schema[], name: string): string {
    // A body that is documented as "X, or anything that is refused" is X.
    const known = members.filter((member) => !isAnything(member) || members.length === 1);
    const expressions = (known.length > 0 ? known : members).map((member) => this.expression(member, name));
    return [...new Set(expressions)].join(' | ');
  }

  private object(schema: Schema, name: string): string {
    if (!schema.allOf && Object.keys(schema.properties ?? {}).length === 0) {
      const { additionalProperties: values } = schema;
      return `dict[str, ${typeof values === 'object' ? this.expression(values, singular(name)) : 'Any'}]`;
    }
    // `BondTier` is a schema already, so the field `tier` of `Bond` has the type `BondTierInfo`.
    const free = name in this.document.components.schemas ? `${name}Info` : name;
    this.define(free, schema);
    return free;
  }

  private define(name: string, schema: Schema): void {
    const definition = this.definition(name, schema);
    const present = this.definitions.get(name);
    if (present !== undefined && present !== definition)
      throw new Error(`two different schemas would have the name ${name} in Python`);
    this.definitions.set(name, definition);
  }

  private definition(name: string, schema: Schema): string {
    const doc = schema.description ? `${docstring(schema.description, '    ')}\n` : '';
    if (schema.allOf) {
      const bases = schema.allOf.flatMap(({ $ref }) => ($ref ? [refName($ref)] : []));
      const own = schema.allOf.find(({ properties }) => properties) ?? {};
      return `class ${name}(${bases.join(', ')}):\n${doc}${this.fields(name, own, bases)}`;
    }
    if (!isObject(schema) || Object.keys(schema.properties ?? {}).length === 0) {
      const about = schema.description ? `\n${docstring(schema.description, '')}` : '';
      return `${name}: TypeAlias = ${aliased(this.expression(schema, name))}${about}`;
    }
    const fields = Object.keys(schema.properties ?? {});
    if (fields.every((field) => /^[A-Za-z_]\w*$/.test(field) && !RESERVED.has(field)))
      return `class ${name}(TypedDict):\n${doc}${this.fields(name, schema, [])}`;
    const entries = fields.map(
      (field) => `    ${literal(field)}: ${quoted(this.field(name, schema, field))},`,
    );
    return `${name} = TypedDict(\n    "${name}",\n    {\n${entries.map((entry) => `    ${entry}`).join('\n')}\n    },\n)`;
  }

  private fields(name: string, schema: Schema, bases: string[]): string {
    const inherited = new Set(bases.flatMap((base) => this.fieldsOf(base)));
    const names = Object.keys(schema.properties ?? {}).filter((field) => !inherited.has(field));
    if (names.length === 0) return '    pass';
    return names
      .map((field) => {
        const { $ref, description } = schema.properties?.[field] ?? {};
        const about =
          description ?? ($ref && this.isPlain($ref) ? this.schema(refName($ref)).description : undefined);
        return `    ${field}: ${this.field(name, schema, field)}${about ? `\n${docstring(about, '    ')}` : ''}`;
      })
      .join('\n');
  }

  /**
   * Whether a reference leads to a field that many schemas share, and not to an object with a description of its own.
   */
  private isPlain(ref: string): boolean {
    const { type, properties, enum: values } = this.schema(refName(ref));
    return properties === undefined && values === undefined && type !== 'array' && type !== 'object';
  }

  private field(name: string, schema: Schema, field: string): string {
    const type = this.expression(schema.properties?.[field] ?? {}, name + pascal(field));
    return schema.required?.includes(field) ? type : `NotRequired[${type}]`;
  }

  private fieldsOf(name: string): string[] {
    const schema = this.schema(name);
    const parts = schema.allOf ?? [schema];
    return parts.flatMap((part) =>
      part.$ref ? this.fieldsOf(refName(part.$ref)) : Object.keys(part.properties ?? {}),
    );
  }

  /** How many types a type inherits from: a base precedes what inherits from it. */
  private depth(name: string): number {
    const bases = this.document.components.schemas[name]?.allOf ?? [];
    return Math.max(0, ...bases.map(({ $ref }) => ($ref ? 1 + this.depth(refName($ref)) : 0)));
  }

  private schema(name: string): Schema {
    return this.document.components.schemas[name] ?? {};
  }
}

const isObject = (schema: Schema) => schema.type === 'object' || schema.properties !== undefined;
const isAnything = (schema: Schema) =>
  schema.type === 'object' &&
  schema.additionalProperties === true &&
  !Object.keys(schema.properties ?? {}).length;
const literal = (value: unknown) => (value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : JSON.stringify(value)); // prettier-ignore
const quoted = (expression: string) => `"${expression.replaceAll('"', "'")}"`;
/** An alias is evaluated, so what it names is a string: the types that it names may follow it. */
const aliased = (expression: string) =>
  /^(str|int|float|bool|None|Any|Literal\[[^[\]]*\]|dict\[str, Any\])$/.test(expression) ? expression : quoted(expression); // prettier-ignore
const singular = (name: string) =>
  name.endsWith('ies') ? `${name.slice(0, -3)}y` : /[^s]s$/.test(name) ? name.slice(0, -1) : `${name}Item`;
