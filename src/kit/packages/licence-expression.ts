import parse from 'spdx-expression-parse';

const MAX_LENGTH = 512;

/**
 * The ways in which an SPDX expression may be met, each a list of licences that bind together: `A OR (B AND C)` gives
 * [[A], [B, C]]. Undefined when it is no SPDX expression. Exceptions (`WITH …`) are left out of the ids, `+` stays.
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
