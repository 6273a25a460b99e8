import correct from 'spdx-correct';
import parse from 'spdx-expression-parse';
import { nestsDeeper } from './nesting';

const MAX_LENGTH = 512;
/** Levels of parentheses. */
const MAX_DEPTH = 20;
/** Names joined by "or", "and" or "/" in a text that is no expression. */
const MOST_NAMES = 8;

/**
 * The alternatives of an SPDX expression, each a list of licences that apply together: `A OR (B AND C)` gives [[A], [B,
 * C]]. A licence with an exception is `A WITH E`; `+` is kept. Returns undefined when the text names no licence that
 * SPDX knows; it never throws.
 */
export function licenceChoices(expression: string): string[][] | undefined {
  if (expression.length > MAX_LENGTH || nestsDeeper(expression, MAX_DEPTH, 'parentheses')) return undefined;
  return parsed(expression) ?? parsed(correctedId(expression, MOST_NAMES));
}

function parsed(expression: string | null): string[][] | undefined {
  try {
    return expression === null ? undefined : choicesOf(parse(expression));
  } catch {
    return undefined;
  }
}

/** The corrector throws for text without words, which is no licence. */
function corrected(text: string): string | null {
  // The versions of the GPL differ in what they permit, so a text without one is not guessed (`upgrade`).
  return text.trim() === '' || text.trim() === '+' ? null : correct(text, { upgrade: false });
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

/** Exceptions by the words with which packages name them. */
const EXCEPTIONS: readonly (readonly [RegExp, string])[] = [
  [/class-?path/i, 'Classpath-exception-2.0'],
  [/\bgcc\b|runtime/i, 'GCC-exception-3.1'],
  [/\bllvm\b/i, 'LLVM-exception'],
  [/linux-?syscall/i, 'Linux-syscall-note'],
  [/universal[- ]?foss/i, 'Universal-FOSS-exception-1.0'],
  [/linking/i, 'GPL-3.0-linking-exception'],
];
const WITH = /^(.{1,100}?)[\s,(-]{1,4}(?:with|w\/)\s(.{0,100}\bexception.{0,20})$/i;

/**
 * A licence with an exception that is not written as SPDX writes it. Null when the licence or the exception is unknown.
 */
function withException(text: string): string | null | undefined {
  const [, licence, words = ''] = WITH.exec(text) ?? [];
  if (licence === undefined) return undefined;
  const id = correctedId(licence, 1);
  const exception = EXCEPTIONS.find(([pattern]) => pattern.test(words))?.[1];
  return id === null || exception === undefined || id.includes(' ') ? null : `${id} WITH ${exception}`;
}

/** `most`: how many joined names are still read. */
function correctedId(written: string, most: number): string | null {
  if (most === 0 || REFERENCE.test(written)) return null;
  const text = written.trim().replace(AROUND, '');
  const excepted = withException(text);
  if (excepted !== undefined) return excepted;
  const named = NAMES.find(([pattern]) => pattern.test(text));
  if (named) return named[1];
  const [, one, and, other] = TOGETHER.exec(text) ?? [];
  const left = one === undefined ? null : correctedId(one, 1);
  const right = left === null ? null : correctedId(other ?? '', most - 1);
  if (left !== null && right !== null) return `(${left} ${and ? 'AND' : 'OR'} ${right})`;
  // With a part that names no licence, the text as a whole names none either.
  if (one !== undefined && gnuId(text) === undefined) return null;
  const gnu = gnuId(text);
  if (gnu !== undefined) return gnu;
  return corrected(text) ?? corrected(text.replace(/ licen[cs]e$/i, ''));
}

type Parsed = ReturnType<typeof parse>;
const MAX_CHOICES = 64;

function choicesOf(node: Parsed): string[][] {
  if ('license' in node) {
    const id = node.plus ? `${node.license}+` : node.license;
    return [[node.exception === undefined ? id : `${id} WITH ${node.exception}`]];
  }
  const left = choicesOf(node.left);
  const right = choicesOf(node.right);
  if (node.conjunction === 'or') return [...left, ...right].slice(0, MAX_CHOICES);
  return left.flatMap((a) => right.map((b) => [...a, ...b])).slice(0, MAX_CHOICES);
}
