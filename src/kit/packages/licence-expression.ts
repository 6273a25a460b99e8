import correct from 'spdx-correct';
import parse from 'spdx-expression-parse';

const MAX_LENGTH = 512;

/**
 * The alternatives of an SPDX expression, each a list of licences that apply together: `A OR (B AND C)` gives [[A],
 * [B, C]]. Returns undefined when the text is not an SPDX expression. Exceptions (`WITH …`) are dropped from the ids;
 * `+` is kept.
 */
export function licenceChoices(expression: string): string[][] | undefined {
  if (expression.length > MAX_LENGTH) return undefined;
  return parsed(expression) ?? parsed(correctedId(expression));
}

function parsed(expression: string | null): string[][] | undefined {
  try {
    return expression === null ? undefined : choicesOf(parse(expression));
  } catch {
    return undefined;
  }
}

/** A reference to a text or URL that merely contains the name of a licence does not say that this is the licence. */
const REFERENCE =
  /^(?:see\b|unlicensed$|none$)|all rights reserved|\blicen[cs]e(?:d)? in\b|\bfile\b|:\/\/|\bcommercial\b|\bproprietary\b|\bcustom\b|\bnon-?\w/i;

function correctedId(text: string): string | null {
  if (REFERENCE.test(text)) return null;
  // The versions of the GPL differ in what they permit, so a text without one is not guessed (`upgrade`).
  const options = { upgrade: false };
  return correct(text.trim(), options) ?? correct(text.trim().replace(/ licen[cs]e$/i, ''), options);
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
