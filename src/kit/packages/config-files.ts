/**
 * Parses untrusted TOML, YAML and JSON into plain data, in time and memory proportional to the text and to a limited
 * depth. Returns undefined when the text is invalid, too large or too deep, or when a merge left its marks in it.
 */
import { CORE_SCHEMA, loadAll } from 'js-yaml';
import { parse as parseTomlText } from 'smol-toml';
import { nestsDeeper } from './nesting';

/** Characters of the largest file: no bundle unpacks to more bytes (contract, "Publishing"). */
const MAX_LENGTH = 8 * 1024 * 1024;
/** Levels of nesting. Lockfiles of npm nest deepest; real ones stay below 50. */
const MAX_DEPTH = 100;
/** Documents of one YAML file. pnpm writes two. */
const MAX_DOCUMENTS = 100;

export function parseToml(text: string): unknown {
  return attempt(text, (given) =>
    nestsDeeper(given, MAX_DEPTH, 'toml') ? undefined : parseTomlText(given, { maxDepth: MAX_DEPTH }),
  );
}

/**
 * Parses the documents of a YAML file. The parser refuses equal keys, counts the levels of nesting before it enters
 * one, and resolves aliases by reference, so an alias bomb costs nothing; merge keys are ordinary keys.
 */
export function parseYaml(text: string): unknown[] | undefined {
  return attempt(text, (given) => {
    const documents = loadAll(given, { schema: CORE_SCHEMA, maxDepth: MAX_DEPTH });
    return documents.length > MAX_DOCUMENTS ? undefined : documents;
  });
}

export function parseJson(text: string): unknown {
  return attempt(text, (given) =>
    nestsDeeper(given, MAX_DEPTH, 'json') ? undefined : (JSON.parse(given) as unknown),
  );
}

/** Parses JSON with comments and with commas before closing brackets, as bun writes it. */
export function parseJsonWithComments(text: string): unknown {
  return parseJson(text) ?? attempt(text, (given) => parseJson(withoutComments(given)));
}

/** True for a text with the marks of an unfinished merge, which no format of a package manager allows. */
export function hasConflictMarks(text: string): boolean {
  return /^(?:<{7}|>{7}|\|{7})(?: |\r?$)/m.test(text);
}

/** Removes comments, and commas before closing brackets, outside of strings. Reads the text once. */
function withoutComments(text: string): string {
  const token = /["\n]|\/\/|\/\*|[,\]}]|[^\s"/,\]}]+|\//g;
  const parts: string[] = [];
  let comma = -1;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match;
    if (found === '\n') continue;
    if (found === '//' || found === '/*') {
      const end = text.indexOf(found === '//' ? '\n' : '*/', token.lastIndex);
      if (end < 0) break;
      token.lastIndex = found === '//' ? end : end + 2;
      continue;
    }
    if ((found === ']' || found === '}') && comma >= 0) parts[comma] = '';
    comma = found === ',' ? parts.length : -1;
    if (found === '"') {
      const end = quoteEnd(text, match.index);
      parts.push(text.slice(match.index, end));
      token.lastIndex = end;
    } else parts.push(found, ' ');
  }
  return parts.join('');
}

function quoteEnd(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index += 1) {
    if (text.charAt(index) === '\\') index += 1;
    else if (text.charAt(index) === '"') return index + 1;
  }
  return text.length;
}

function attempt<T>(text: string, parse: (text: string) => T): T | undefined {
  if (text.length > MAX_LENGTH || hasConflictMarks(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
