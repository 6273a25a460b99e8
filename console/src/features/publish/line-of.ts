import { jsonLanguage } from '@codemirror/lang-json';

type Node = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

export interface Place {
  from: number;
  to: number;
  /** From 1. */
  line: number;
}

/** Where the value of a path stands in a JSON text; of the nearest parent that exists. */
export function placeOf(text: string, path: readonly (string | number)[]): Place {
  let node: Node | null = jsonLanguage.parser.parse(text).topNode.firstChild;
  for (const part of path) {
    const next = node && childOf(text, node, part);
    if (!next) break;
    node = next;
  }
  const from = node?.from ?? 0;
  const end = Math.min(
    node?.to ?? 0,
    text.indexOf('\n', from) === -1 ? text.length : text.indexOf('\n', from),
  );
  return { from, to: Math.max(end, from), line: text.slice(0, from).split('\n').length };
}

/** Where a JSON text is broken; its end if every part before is right. */
export function brokenAt(text: string): Place {
  let from = text.length;
  jsonLanguage.parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) from = Math.min(from, node.from);
    },
  });
  const end = text.indexOf('\n', from);
  return { from, to: end === -1 ? text.length : end, line: text.slice(0, from).split('\n').length };
}

function childOf(text: string, node: Node, part: string | number): Node | null {
  if (node.name === 'Array') return itemOf(node, Number(part));
  for (const property of node.getChildren('Property')) {
    const name = property.getChild('PropertyName');
    if (name && text.slice(name.from, name.to) === JSON.stringify(part)) return property.lastChild;
  }
  return null;
}

const VALUES = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

function itemOf(node: Node, index: number): Node | null {
  let left = index;
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (VALUES.has(child.name) && left-- === 0) return child;
  }
  return null;
}
