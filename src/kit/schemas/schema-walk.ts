import type { FieldProblem } from '../../domain/errors';

/** One subschema (object form) and what it leads to. */
export interface SchemaNode {
  loc: FieldProblem['loc'];
  schema: Record<string, unknown>;
  /** Subschemas that look at the same value (`allOf`, `if`, …). */
  inPlace: SchemaNode[];
  /** Subschemas that look at a part of the value. */
  consuming: SchemaNode[];
  /** Targets of `$ref` and `$dynamicRef`; filled by whoever resolves them. */
  refs: SchemaNode[];
}

export interface VisitedSchema {
  nodes: SchemaNode[];
  /** Where the depth limit was passed. */
  tooDeep: FieldProblem['loc'] | undefined;
  tooMany: boolean;
  /** The subschema that a local reference (`#`, `#/json/pointer`, `#anchor`) names. */
  find(ref: string): SchemaNode | undefined;
}

const IN_PLACE = new Set([
  'not',
  'if',
  'then',
  'else',
  'allOf',
  'anyOf',
  'oneOf',
  'dependentSchemas',
  'dependencies',
]);
/** Subschemas that do nothing unless something refers to them. */
const DEFINITIONS = new Set(['$defs', 'definitions']);
const ONE = [
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAP = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];

/** Walks all subschemas below the known keywords of draft 2020-12; stops at the limits. */
export function visitSchema(root: object, limits: { depth: number; subschemas: number }): VisitedSchema {
  const visited: Omit<VisitedSchema, 'find'> = { nodes: [], tooDeep: undefined, tooMany: false };
  const byPointer = new Map<string, SchemaNode>();
  const byAnchor = new Map<string, SchemaNode>();
  let subschemas = 0;

  const visit = (
    value: unknown,
    loc: FieldProblem['loc'],
    pointer: string,
    depth: number,
  ): SchemaNode | undefined => {
    if (typeof value !== 'boolean' && !isObject(value)) return undefined;
    subschemas += 1;
    if (subschemas > limits.subschemas) visited.tooMany = true;
    if (depth > limits.depth) visited.tooDeep ??= loc;
    if (visited.tooMany || visited.tooDeep) return undefined;
    const schema = isObject(value) ? value : {};
    const node: SchemaNode = { loc, schema, inPlace: [], consuming: [], refs: [] };
    visited.nodes.push(node);
    byPointer.set(pointer, node);
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof anchor === 'string' && !byAnchor.has(anchor)) byAnchor.set(anchor, node);
    }
    for (const [path, child] of children(schema)) {
      const found = visit(child, [...loc, ...path], pointer + path.map(pointerPart).join(''), depth + 1);
      if (found && !DEFINITIONS.has(String(path[0]))) {
        (IN_PLACE.has(String(path[0])) ? node.inPlace : node.consuming).push(found);
      }
    }
    return node;
  };
  visit(root, [], '', 1);

  return {
    ...visited,
    find(ref) {
      const fragment = decodeFragment(ref.slice(1));
      return fragment === '' || fragment.startsWith('/') ? byPointer.get(fragment) : byAnchor.get(fragment);
    },
  };
}

function* children(schema: Record<string, unknown>): Generator<[FieldProblem['loc'], unknown]> {
  for (const keyword of ONE) {
    if (Object.hasOwn(schema, keyword)) yield [[keyword], schema[keyword]];
  }
  for (const keyword of LIST) {
    const list = schema[keyword];
    if (Object.hasOwn(schema, keyword) && Array.isArray(list)) {
      for (const [index, child] of list.entries()) yield [[keyword, index], child];
    }
  }
  for (const keyword of MAP) {
    const map = schema[keyword];
    if (Object.hasOwn(schema, keyword) && isObject(map)) {
      for (const [name, child] of Object.entries(map)) yield [[keyword, name], child];
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pointerPart(part: string | number): string {
  return `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
