import parse from 'spdx-expression-parse';

const MAX_LENGTH = 512;

/**
 * The alternatives of an SPDX expression, each a list of licences that apply together: `A OR (B AND C)` gives [[A],
 * [B, C]]. Returns undefined when the text is not an SPDX expression. Exceptions (`WITH …`) are dropped from the ids;
 * `+` is kept.
 */
export function licenceChoices(expression: string): string[][] | undefined {
  if (expression.length > MAX_LENGTH) return undefined;
  try {
    return choicesOf(parse(expression));
  } catch {
    return undefined;
  }
}

type Parsed = ReturnType<typeof parse>;
const MAX_CHOICES = 64;

function choicesOf(node: Parsed): string[][] {
  if ('license' in node) return [[node.plus ? `${node.license}+` : node.license]];
  const left = choicesOf(node.left);
  const right = choicesOf(node.right);
  if (node.conjunction === 'or') return [...left, ...right].slice(0, MAX_CHOICES);
  return left.flatMap((a) => right.map((b) => [...a, ...b])).slice(0, MAX_CHOICES);
}
