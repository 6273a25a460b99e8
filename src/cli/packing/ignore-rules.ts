/**
 * Which files of a folder are left out of a bundle: what `.gitignore` and then `.marketignore` of each folder say, by
 * the rules of git. A later line wins; what lies in a folder that is left out cannot be taken back in.
 */
interface Rule {
  matches: RegExp;
  isNegated: boolean;
  foldersOnly: boolean;
  /** The folder of the ignore file, relative to the root; `''` for the root itself. */
  base: string;
}

export interface IgnoreRules {
  /** These rules and those of an ignore file in `folder` (`''`: the root), which are stronger. */
  with: (folder: string, text: string) => IgnoreRules;
  /** `path` is relative to the root, with `/`. Says nothing of the folders above it. */
  ignores: (path: string, isFolder: boolean) => boolean;
}

/** Nobody means to publish these; `!` in an ignore file takes one back in. */
const ALWAYS = [
  '.git', '.hg', '.svn', '.market', 'node_modules', '.venv', '__pycache__', '.DS_Store', '.env', '.env.*',
  '!.env.example', '*.pem', '*.key',
].join('\n'); // prettier-ignore

export function defaultRules(): IgnoreRules {
  return rulesOf([]).with('', ALWAYS);
}

function rulesOf(rules: readonly Rule[]): IgnoreRules {
  return {
    with: (folder, text) => rulesOf([...rules, ...parse(folder, text)]),
    ignores(path, isFolder) {
      const last = rules.findLast(
        ({ matches, foldersOnly, base }) =>
          (isFolder || !foldersOnly) && isInside(path, base) && matches.test(relativeTo(path, base)),
      );
      return last !== undefined && !last.isNegated;
    },
  };
}

function parse(base: string, text: string): Rule[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => withoutTrailingSpaces(line))
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const isNegated = line.startsWith('!');
      const pattern = isNegated ? line.slice(1) : line;
      const foldersOnly = pattern.endsWith('/');
      const body = foldersOnly ? pattern.slice(0, -1) : pattern;
      const matches = body === '' ? undefined : toExpression(body);
      return matches ? [{ matches, isNegated, foldersOnly, base }] : [];
    });
}

/** A space at the end counts only behind a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}

/** A pattern with a slash before its end is bound to its folder; any other names a file or folder at any depth. */
function toExpression(pattern: string): RegExp | undefined {
  const isBound = pattern.includes('/');
  const parts = pattern.replace(/^\//, '').split('/');
  let source = isBound ? '^' : '^(?:.*/)?';
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (part === '**') source += isLast ? '.+' : '(?:.*/)?';
    else source += segment(part) + (isLast ? '$' : '/');
  }
  try {
    return new RegExp(source, 's');
  } catch {
    // such as [z-a]: git matches nothing by it
    return undefined;
  }
}

/** One part of a pattern between slashes: `*`, `?`, `[a-z]`, and `\` before a character that means itself. */
function segment(part: string): string {
  let source = '';
  for (let at = 0; at < part.length; at += 1) {
    const char = part[at] as string;
    const set = char === '[' ? /^\[([!^]?)(\]?[^\]]*)\]/.exec(part.slice(at)) : null;
    if (set) {
      const [whole, negation, members = ''] = set;
      source += `(?!/)[${negation ? '^' : ''}${members.replaceAll(/[\\\]^]/g, '\\$&')}]`;
      at += whole.length - 1;
    } else if (char === '[') {
      // a set that never ends matches nothing
      return '(?!)';
    } else if (char === '*') {
      while (part[at + 1] === '*') at += 1;
      source += '[^/]*';
    } else if (char === '?') {
      source += '[^/]';
    } else {
      if (char === '\\' && at + 1 < part.length) at += 1;
      source += (part[at] as string).replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    }
  }
  return source;
}

function isInside(path: string, base: string): boolean {
  return base === '' || path.startsWith(`${base}/`);
}

function relativeTo(path: string, base: string): string {
  return base === '' ? path : path.slice(base.length + 1);
}
