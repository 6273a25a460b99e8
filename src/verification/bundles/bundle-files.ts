/** The files of a bundle, told apart for the scanners: text or not, source or not, of tests or not, of others. */
import type { TarFile } from '../../kit/archives/tar';

export interface SourceFile {
  path: string;
  text: string;
  isSource: boolean;
  /** Tests, fixtures, examples and documentation. */
  isTest: boolean;
  /** Written by a tool: lockfiles and what was made small. */
  isGenerated: boolean;
}

export interface BundleFiles {
  /** Every file of the bundle that is the developer's. */
  count: number;
  paths: string[];
  texts: SourceFile[];
  /** Neither text nor of a kind that is known to be none, such as pictures. */
  unreadable: number;
}

const SOURCE = /\.(?:[cm]?[jt]sx?|py|pyi|sh|bash|rb|go|rs|java|kt|php|pl|lua|sql|ipynb|vue|svelte)$/i;
const PICTURES =
  /\.(?:png|jpe?g|gif|webp|ico|svg|avif|bmp|tiff?|woff2?|ttf|otf|eot|mp[34]|wav|ogg|webm|pdf|zip|gz|npy|onnx|safetensors|pt|bin)$/i;
const TESTS =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|fixtures?|__fixtures__|examples?|docs?|mocks?|__mocks__)\/|(?:^|\/)(?:test_[^/]*|conftest)\.py$|[._-](?:test|spec)\.[^/]+$|_test\.(?:py|go)$|\.(?:md|rst)$/i;
/** What a package manager or a tool put there; its licence and advisories come from the lockfile. */
const OTHERS =
  /(?:^|\/)(?:node_modules|bower_components|site-packages|\.venv|venv|\.git|\.tox|__pycache__)\//;
const LOCKFILES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|Pipfile\.lock|bun\.lockb?|deno\.lock)$/;
/** A line as long as this was not written by hand. */
const MINIFIED_LINE = 5_000;
const LOOK_AT_BYTES = 8_192;

export function sortFiles(files: readonly TarFile[]): BundleFiles {
  const own = files.filter(({ path }) => !OTHERS.test(`/${path}`));
  const sorted: BundleFiles = {
    count: own.length,
    paths: own.map(({ path }) => path),
    texts: [],
    unreadable: 0,
  };
  for (const { path, bytes } of own) {
    const text = textOf(bytes);
    if (text === undefined) {
      if (!PICTURES.test(path)) sorted.unreadable += 1;
      continue;
    }
    const isSource = SOURCE.test(path);
    const isGenerated = LOCKFILES.test(path) || (isSource && isMinified(text));
    sorted.texts.push({ path, text, isSource, isTest: TESTS.test(path), isGenerated });
  }
  return sorted;
}

export function isLockfile(path: string): boolean {
  return LOCKFILES.test(path);
}

/** Undefined for what is no text; UTF-16 is recognised by its mark. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
  if (bytes.subarray(0, LOOK_AT_BYTES).includes(0)) return undefined;
  return bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
}

function isMinified(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    if ((end < 0 ? text.length : end) - at > MINIFIED_LINE) return true;
    if (end < 0) return false;
    at = end + 1;
  }
  return false;
}

/** Line numbers of places in one text, asked in rising order. */
export function createLineCounter(text: string): (index: number) => number {
  let line = 1;
  let at = 0;
  return (index) => {
    for (;;) {
      const next = text.indexOf('\n', at);
      if (next < 0 || next >= index) return line;
      line += 1;
      at = next + 1;
    }
  };
}
