import type { FieldProblem } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';

/** One subschema (object form) with its edges. */
export interface SchemaNode {
  loc: FieldProblem['loc'];
  schema: Record<string, unknown>;
  /** The subschema itself: an object or a boolean. */
  value: unknown;
  /** Subschemas that apply to the same value (`allOf`, `if`, …). */
  inPlace: SchemaNode[];
  /** Subschemas that apply to a part of the value. */
  consuming: SchemaNode[];
  /** Targets of `$ref` and `$dynamicRef`; filled in when references are resolved. */
  refs: SchemaNode[];
}

export interface VisitedSchema {
  nodes: SchemaNode[];
  /** Location at which the depth limit was exceeded. */
  tooDeep: FieldProblem['loc'] | undefined;
  tooMany: boolean;
  /** Locations of anchors whose name an earlier subschema has. */
  repeatedAnchors: FieldProblem['loc'][];
  /** Resolves a local reference (`#`, `#/json/pointer`, `#anchor`). */
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
/** Keywords whose subschemas apply only when referenced. */
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

/** Visits all subschemas below the keywords of draft 2020-12; stops at the limits. */
export function visitSchema(root: unknown, limits: { depth: number; subschemas: number }): VisitedSchema {
  const visited: Omit<VisitedSchema, 'find'> = {
    nodes: [],
    tooDeep: undefined,
    tooMany: false,
    repeatedAnchors: [],
  };
  const byPointer = new Map<string, SchemaNode>();
  const byAnchor = new Map<string, SchemaNode>();
  let subschemas = 0;

  const visit = (
    value: unknown,
    loc: FieldProblem['loc'],
    pointer: string,
    depth: number,
  ): SchemaNode | undefined => {
    if (typeof value !== 'boolean' && !isRecord(value)) return undefined;
    subschemas += 1;
    if (subschemas > limits.subschemas) visited.tooMany = true;
    if (depth > limits.depth) visited.tooDeep ??= loc;
    if (visited.tooMany || visited.tooDeep) return undefined;
    const schema = isRecord(value) ? value : {};
    const node: SchemaNode = { loc, schema, value, inPlace: [], consuming: [], refs: [] };
    visited.nodes.push(node);
    byPointer.set(pointer, node);
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = schema[keyword];
      if (typeof anchor !== 'string') continue;
      if (!byAnchor.has(anchor)) byAnchor.set(anchor, node);
      else if (byAnchor.get(anchor) !== node) visited.repeatedAnchors.push([...loc, keyword]);
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
    if (Object.hasOwn(schema, keyword) && isRecord(map)) {
      for (const [name, child] of Object.entries(map)) yield [[keyword, name], child];
    }
  }
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
