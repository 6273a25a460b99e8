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

/** Classifiers of PyPI, and words around the name of a licence. */
const AROUND =
  /^(?:licen[cs]e\s*::\s*)?(?:osi approved\s*::\s*)?(?:dual[- ]licen[cs]ed?(?: under)?\s*:?\s*)?(?:the )?/i;

/** Names that are no SPDX ids, and what `spdx-correct` reads as another licence. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:expat|mit\/x11|x11\/mit|mit\/expat)(?: licen[cs]e)?$/i, 'MIT'],
  [/^(?:asl|al)[- ]?v?2(?:\.0)?$/i, 'Apache-2.0'],
  [/^isc licen[cs]e \(iscl\)$/i, 'ISC'],
  [/^free ?bsd(?: licen[cs]e)?$/i, 'BSD-2-Clause'],
  [/^bsd(?: licen[cs]e)?$/i, 'BSD-3-Clause'],
  [/^(?:psf|psfl|python software foundation(?: licen[cs]e)?)(?: v?2)?$/i, 'PSF-2.0'],
  [/^zlib\/libpng(?: licen[cs]e)?$/i, 'Zlib'],
];

const GNU =
  /^(?:gnu )?(?:(affero|lesser|library)(?: or lesser)? )?(?:(a|l)?gpl|general public licen[cs]e)\b[\s,-]*(?:version |v)?\s*(\d(?:\.\d)?)?(?:\.0)?(\+)?/i;
const LATER = /\bor (?:\(?at your option\)? ?)?(?:any )?(?:later|newer|greater)\b|\+/i;

/** The id of a licence of GNU, as the text says its version: `-only` or `-or-later`. Null without a version. */
function gnuId(text: string): string | null | undefined {
  const found = GNU.exec(text);
  if (!found) return undefined;
  const [, word = '', letter = '', version] = found;
  const given = version ?? /v(\d(?:\.\d)?)/i.exec(text)?.[1];
  if (given === undefined) return null;
  const kind = /^affero$|^a$/i.test(word || letter) ? 'AGPL' : word || letter ? 'LGPL' : 'GPL';
  return `${kind}-${given.includes('.') ? given : `${given}.0`}-${LATER.test(text) ? 'or-later' : 'only'}`;
}

const TOGETHER = /^(.+?)(?:,? (?:or|(and)) | ?\/ ?)(?!\(?(?:at your|any|later|newer|greater)\b)(.+)$/i;

function correctedId(written: string): string | null {
  if (REFERENCE.test(written)) return null;
  const text = written.trim().replace(AROUND, '');
  const named = NAMES.find(([pattern]) => pattern.test(text));
  if (named) return named[1];
  const [, one, and, other] = TOGETHER.exec(text) ?? [];
  const left = one === undefined ? null : correctedId(one);
  const right = left === null ? null : correctedId(other ?? '');
  if (left !== null && right !== null) return `(${left} ${and ? 'AND' : 'OR'} ${right})`;
  const gnu = gnuId(text);
  if (gnu !== undefined) return gnu;
  // The versions of the GPL differ in what they permit, so a text without one is not guessed (`upgrade`).
  const options = { upgrade: false };
  return correct(text, options) ?? correct(text.replace(/ licen[cs]e$/i, ''), options);
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
