/**
 * What a client of one OpenAPI document cannot take of a later one (ADR 0134). A request that was valid must stay
 * valid, and an answer must have every field that it had, of a type that the client knows. Additions are no breaks:
 * clients ignore fields and enum values of answers that they do not know.
 */
export interface ContractSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, ContractSchema>;
  required?: string[];
  additionalProperties?: boolean | ContractSchema;
  items?: ContractSchema;
  allOf?: ContractSchema[];
  anyOf?: ContractSchema[];
  pattern?: string;
  maximum?: number;
  format?: string;
}

interface Body {
  $ref?: string;
  required?: boolean;
  content?: Record<string, { schema?: ContractSchema }>;
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema?: ContractSchema;
}
interface Operation {
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
}
export interface ContractDocument {
  /** How a client authenticates where an operation names no way of its own. */
  security?: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** A part of both documents: what clients send, or what they receive. */
type Direction = 'request' | 'answer';
type Pair<T> = { old: T; now: T };

const LOWER_BOUNDS = ['minLength', 'minimum', 'minItems'] as const;
const UPPER_BOUNDS = ['maxLength', 'maximum', 'maxItems', 'maxProperties'] as const;

/** One line for each change that breaks a client of `old`. */
export function breakingChanges(old: ContractDocument, now: ContractDocument): string[] {
  const comparison = new Comparison(old, now);
  for (const [path, methods] of Object.entries(old.paths))
    for (const [method, operation] of Object.entries(methods)) {
      // Every path is answered with and without a slash at its end.
      const current = (now.paths[path] ?? now.paths[`${path}/`])?.[method];
      const name = `${method.toUpperCase()} ${path}`;
      if (current) comparison.operation(name, { old: operation, now: current });
      else comparison.breaks.push(`${name}: is gone`);
    }
  return [...new Set(comparison.breaks)];
}

class Comparison {
  readonly breaks: string[] = [];
  /** Pairs of named schemas that are compared already: schemas may contain themselves. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly oldDocument: ContractDocument,
    private readonly nowDocument: ContractDocument,
  ) {}

  operation(name: string, { old, now }: Pair<Operation>): void {
    if (old.operationId !== now.operationId)
      this.add(name, `operationId ${old.operationId} is now ${now.operationId}`);
    this.security(name, { old, now });
    this.parameters(name, { old, now });
    const body = { old: this.resolved(old.requestBody, 'old'), now: this.resolved(now.requestBody, 'now') };
    if (!body.old && body.now?.required) this.add(name, 'needs a body now');
    if (body.old) this.contents(`${name} body`, 'request', { old: body.old, now: body.now ?? {} });
    for (const [status, answer] of Object.entries(old.responses)) {
      if (!status.startsWith('2')) continue;
      const current = this.resolved(now.responses[status], 'now');
      if (!current) this.add(name, `no longer answers ${status}`);
      else
        this.contents(`${name} ${status}`, 'answer', {
          old: this.resolved(answer, 'old') ?? {},
          now: current,
        });
    }
  }

  private security(name: string, { old, now }: Pair<Operation>): void {
    const allowed = (operation: Operation, { security = [] }: ContractDocument) =>
      (operation.security ?? security).map((way) => JSON.stringify(way));
    const current = allowed(now, this.nowDocument);
    const before = allowed(old, this.oldDocument);
    if (current.length === 0) return;
    // An empty requirement makes credentials optional.
    if (before.length === 0 && !current.includes('{}')) this.add(name, 'needs a credential now');
    for (const way of before) if (!current.includes(way)) this.add(name, `no longer accepts ${way}`);
  }

  private parameters(name: string, { old, now }: Pair<Operation>): void {
    const byName = (operation: Operation, side: 'old' | 'now') =>
      new Map((operation.parameters ?? []).map((parameter) => {
        const found = this.resolved(parameter, side) ?? parameter;
        return [`${found.in} ${found.name}`, found];
      })); // prettier-ignore
    const [before, after] = [byName(old, 'old'), byName(now, 'now')];
    for (const [key, parameter] of before) {
      const current = after.get(key);
      if (!current) this.add(`${name} ${key}`, 'is gone');
      else
        this.schema(`${name} ${key}`, 'request', { old: parameter.schema ?? {}, now: current.schema ?? {} });
    }
    for (const [key, { required }] of after)
      if (required && !before.get(key)?.required) this.add(`${name} ${key}`, 'is required now');
  }

  private contents(place: string, direction: Direction, { old, now }: Pair<Body>): void {
    if (direction === 'request' && now.required && !old.required) this.add(place, 'is required now');
    for (const [type, { schema = {} }] of Object.entries(old.content ?? {})) {
      const current = now.content?.[type];
      if (!current) this.add(place, `no longer has the type ${type}`);
      else this.schema(place, direction, { old: schema, now: current.schema ?? {} });
    }
  }

  private schema(place: string, direction: Direction, given: Pair<ContractSchema>): void {
    const key = `${direction} ${given.old.$ref ?? ''} ${given.now.$ref ?? ''}`;
    if (given.old.$ref && given.now.$ref) {
      if (this.seen.has(key)) return;
      this.seen.add(key);
    }
    const variants = { old: this.variants(given.old, 'old'), now: this.variants(given.now, 'now') };
    // What has to be understood: of a request each old variant by the service, of an answer each new one by the client.
    const [needed, known] =
      direction === 'request' ? [variants.old, variants.now] : [variants.now, variants.old];
    for (const variant of needed) {
      const partners = known.filter((candidate) => fits(variant, candidate));
      const [first] = partners;
      if (!first) this.add(place, `the type ${typeOf(variant)} is not among ${known.map(typeOf).join(', ')}`);
      // If several objects are possible, one that fits completely is enough.
      else if (partners.length === 1)
        this.variant(
          place,
          direction,
          direction === 'request' ? { old: variant, now: first } : { old: first, now: variant },
        );
    }
  }

  private variant(place: string, direction: Direction, { old, now }: Pair<ContractSchema>): void {
    if (direction === 'request') this.bounds(place, { old, now });
    for (const [field, schema] of Object.entries(old.properties ?? {})) {
      const current = now.properties?.[field];
      const here = `${place} .${field}`;
      if (current) this.schema(here, direction, { old: schema, now: current });
      else if (direction === 'answer' || now.additionalProperties === false) this.add(here, 'is gone');
      if (
        direction === 'answer' &&
        current &&
        old.required?.includes(field) &&
        !now.required?.includes(field)
      )
        this.add(here, 'may be missing now');
    }
    if (direction === 'request')
      for (const field of now.required ?? [])
        if (!old.required?.includes(field)) this.add(`${place} .${field}`, 'is required now');
    if (old.items && now.items) this.schema(`${place} []`, direction, { old: old.items, now: now.items });
  }

  private bounds(place: string, { old, now }: Pair<ContractSchema>): void {
    const value = (schema: ContractSchema, bound: string) => (schema as Record<string, unknown>)[bound] as number | undefined;
    for (const bound of LOWER_BOUNDS)
      if ((value(now, bound) ?? -Infinity) > (value(old, bound) ?? -Infinity) && value(now, bound) !== 0) this.add(place, `${bound} is ${value(now, bound)} now`);
    for (const bound of UPPER_BOUNDS)
      if ((value(now, bound) ?? Infinity) < (value(old, bound) ?? Infinity)) this.add(place, `${bound} is ${value(now, bound)} now`);
    if (now.pattern !== undefined && now.pattern !== old.pattern && !isWider(now.pattern, old.pattern))
      this.add(place, 'has another pattern');
    if (now.format !== undefined && now.format !== old.format) this.add(place, `must be ${now.format} now`);
    const lost = valuesOf(old)?.filter((each) => valuesOf(now)?.includes(each) === false);
    if (lost?.length) this.add(place, `no longer takes ${lost.join(', ')}`);
    if (!valuesOf(old) && valuesOf(now)) this.add(place, `takes only ${valuesOf(now)?.join(', ')} now`);
  } // prettier-ignore

  /** The alternatives of a schema, each with one type, references resolved and `allOf` merged. */
  private variants(schema: ContractSchema, side: 'old' | 'now'): ContractSchema[] {
    const found = this.resolved(schema, side) ?? {};
    if (found.anyOf) return found.anyOf.flatMap((member) => this.variants(member, side));
    if (found.allOf) return [merged(found.allOf.flatMap((member) => this.variants(member, side)))];
    return Array.isArray(found.type) ? found.type.map((type) => ({ ...found, type })) : [found];
  }

  private resolved<T extends { $ref?: string }>(part: T | undefined, side: 'old' | 'now'): T | undefined {
    if (part?.$ref === undefined) return part;
    const [, , kind = '', name = ''] = part.$ref.split('/');
    const { components } = side === 'old' ? this.oldDocument : this.nowDocument;
    return this.resolved(components[kind]?.[name] as T | undefined, side);
  }

  private add(place: string, what: string): void {
    this.breaks.push(`${place}: ${what}`);
  }
}

const merged = (parts: ContractSchema[]): ContractSchema => ({
  type: 'object',
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<
    string,
    ContractSchema
  >,
  required: parts.flatMap(({ required }) => required ?? []),
});
const typeOf = ({ type }: ContractSchema) => String(type ?? 'any');
const valuesOf = (schema: ContractSchema) => (schema.const === undefined ? schema.enum : [schema.const]);
/** Whether a value of `given` has a type that `known` allows. */
const fits = (given: ContractSchema, known: ContractSchema) =>
  known.type === undefined ||
  known.type === given.type ||
  (known.type === 'number' && given.type === 'integer');

/** Ids of accounts may be those of organisations, too: what was valid before still is. */
const WIDER: Readonly<Record<string, string>> = { '^usr_[0-9a-f]{32}$': '^(usr|org)_[0-9a-f]{32}$' };

const isWider = (now: string, old: string | undefined): boolean => old !== undefined && WIDER[old] === now;
