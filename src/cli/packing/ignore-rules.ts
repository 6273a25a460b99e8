/**
 * Decides which files of a folder stay out of a bundle: the rules of `.gitignore`, then of `.marketignore`, of each
 * folder, with the meaning that git gives them. The last rule that matches decides; a file in an excluded folder cannot
 * be included again.
 */
import ignore from 'ignore';
import { CliFailure } from '../failure';

export interface IgnoreRules {
  /**
   * These rules followed by those of an ignore file in `folder` (`''` for the root), which take precedence. Throws
   * `CliFailure` for a rule that could take very long to match; skipping it could pack what it excludes.
   */
  with: (folder: string, text: string) => IgnoreRules;
  /** `path` is relative to the root, with `/`. */
  ignores: (path: string, isFolder: boolean) => boolean;
}

/** Files that hold credentials. Packing leaves them out and reports each one. */
const SECRET_FILES = [
  'cookies.txt', '*.cookies', '*.cookiejar', '.netrc', '_netrc', '.pypirc', '.git-credentials', '.pgpass', '.aws', '.ssh',
  '.env', '.env.*', '!.env.example', '*.pem', '*.key', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', '*.p12', '*.pfx',
  '*.jks', '*.keystore', '*.ppk',
]; // prettier-ignore

/** Files that are excluded by default. A `!` rule in an ignore file includes one again. */
const ALWAYS = [
  '.git',
  '.hg',
  '.svn',
  '.market',
  'node_modules',
  '.venv',
  '__pycache__',
  '.DS_Store',
  ...SECRET_FILES,
].join('\n');

/** The time to match a rule grows with the depth of a path to the power of its `**`. */
const MAX_GLOBSTARS = 4;

export function defaultRules(): IgnoreRules {
  return rulesOf([]).with('', ALWAYS);
}

/** The rules that name files with credentials. */
export function secretRules(): IgnoreRules {
  return rulesOf(SECRET_FILES);
}

/**
 * Whether a file holds credentials, by its content: a cookie jar, a private key, or an npm configuration with a token.
 */
export function holdsSecret(path: string, bytes: Buffer): boolean {
  const start = bytes.subarray(0, LONGEST_SNIFFED).toString('latin1');
  if (/^# (Netscape )?HTTP Cookie File/.test(start)) return true;
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/m.test(start)) return true;
  return /(^|\/)\.npmrc$/.test(path) && /(^|:)_(auth|authToken|password)\s*=/m.test(start);
}

const LONGEST_SNIFFED = 8_192;

function rulesOf(patterns: readonly string[]): IgnoreRules {
  const matcher = ignore({ ignorecase: false }).add(patterns);
  return {
    with(folder, text) {
      const lines = linesOf(text);
      const endless = lines.find((line) => (line.match(/\*\*/g) ?? []).length > MAX_GLOBSTARS);
      if (endless !== undefined) {
        const place = folder === '' ? 'the folder' : folder;
        throw new CliFailure(
          `an ignore rule of ${place} has more than ${MAX_GLOBSTARS} times **: ${endless.slice(0, 200)}`,
        );
      }
      return rulesOf([...patterns, ...lines.map((line) => boundTo(folder, line))]);
    },
    ignores: (path, isFolder) => matcher.ignores(isFolder ? `${path}/` : path),
  };
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The same rule as seen from the root: within `sub`, `/a` becomes `/sub/a`, and `*.txt` matches below `/sub` only. */
function boundTo(folder: string, line: string): string {
  if (folder === '') return line;
  const isNegated = line.startsWith('!');
  const pattern = isNegated ? line.slice(1) : line;
  const isBound = pattern.trimEnd().slice(0, -1).includes('/');
  const base = `/${folder.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}${isBound ? '' : '/**'}`;
  return `${isNegated ? '!' : ''}${base}/${pattern.replace(/^\//, '')}`;
}
