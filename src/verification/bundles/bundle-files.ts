/** Classifies the files of a bundle for the scanners: text, source, tests, generated, third-party. */
import type { TarFile } from '../../kit/archives/tar';
import type { DangerousCallFact } from '../../domain/evidence/evidence-facts';
import { binaryFindings } from './binary-files';
import { reachedFiles } from './reachability';
import type { SourceFile } from './source-file';

export interface BundleFiles {
  /** Number of the developer's own files. */
  count: number;
  /** Paths of the developer's own files. */
  paths: string[];
  /** All files that can be read as text, third-party files included. */
  texts: SourceFile[];
  /** Number of own files that are neither text nor of a known binary kind, such as images. */
  unreadable: number;
  /** Malice in files that are no text. */
  binaries: DangerousCallFact[];
}

const SOURCE = /\.(?:[cm]?[jt]sx?|py|pyi|sh|bash|rb|go|rs|java|kt|php|pl|lua|sql|ipynb|vue|svelte)$/i;
const PICTURES =
  /\.(?:png|jpe?g|gif|webp|ico|svg|avif|bmp|tiff?|woff2?|ttf|otf|eot|mp[34]|wav|ogg|webm|pdf|zip|gz|npy|onnx|safetensors|pt|bin)$/i;
const TESTS =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|_?fixtures?|__fixtures__|testdata|test[-_]data|examples?|docs?|mocks?|__mocks__)\/|(?:^|\/)(?:test_[^/]{0,200}|conftest)\.py$|[._-](?:test|spec)\.[^/]{1,200}$|_test\.(?:py|go)$|\.(?:md|rst)$|\.(?:example|sample|template|dist)$/i;
const FOREIGN =
  /(?:^|\/)(?:node_modules|bower_components|site-packages|dist-packages|\.venv|venv|\.tox|__pycache__)\//;
/** Objects of git are compressed; its other files are read. */
const GIT = /(?:^|\/)\.git\//;
const LOCKFILES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|pdm\.lock|pylock(?:\.[^/]{1,200})?\.toml|Pipfile\.lock|bun\.lockb?|deno\.lock)$/;
/** A file with a line this long counts as minified. */
const MINIFIED_LINE = 5_000;
/** A file with more NUL bytes than this share is binary. */
const BINARY_SHARE = 0.02;

/** Classifies files. */
export function sortFiles(files: readonly TarFile[]): BundleFiles {
  const sorted: BundleFiles = { count: 0, paths: [], texts: [], unreadable: 0, binaries: [] };
  for (const { path, bytes } of files) {
    if (isLeftover(path, bytes)) continue;
    const isForeign = FOREIGN.test(`/${path}`);
    const isOwn = !isForeign && !GIT.test(`/${path}`);
    if (isOwn) {
      sorted.count += 1;
      sorted.paths.push(path);
    }
    const read = textOf(bytes);
    if (read.isBinary && (PICTURES.test(path) || !isOwn)) continue;
    if (read.isBinary) sorted.unreadable += 1;
    const isSource = SOURCE.test(path) && !read.isBinary;
    const isGenerated = LOCKFILES.test(path) || (isSource && isMinified(read.text));
    sorted.texts.push({ path, text: read.text, isSource, isTest: TESTS.test(path), isGenerated, isForeign });
    if (read.isBinary) Object.assign(sorted.texts.at(-1) ?? {}, { isBinary: true });
  }
  const own = files.filter(({ path }) => !FOREIGN.test(`/${path}`) && !GIT.test(`/${path}`));
  sorted.binaries = binaryFindings(own, (path) => TESTS.test(path));
  const reached = reachedFiles(sorted.texts);
  for (const file of sorted.texts) if (reached.has(file.path)) file.isTest = false;
  return sorted;
}

const APPLE_DOUBLE = Buffer.from([0x00, 0x05, 0x16, 0x07]);

/**
 * True for what macOS adds to archives and folders: attributes of a file in a companion `._name`, copies of them in
 * `__MACOSX`, and the layout of a folder. The agent may load a text file with such a name, so it counts as an ordinary
 * file.
 */
function isLeftover(path: string, bytes: Buffer): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith('._') && bytes.subarray(0, 4).equals(APPLE_DOUBLE)) return true;
  const isNamed = name === '.DS_Store' || /(?:^|\/)__MACOSX\//.test(path);
  return isNamed && (bytes.length === 0 || bytes.includes(0));
}

export function isLockfile(path: string): boolean {
  return LOCKFILES.test(path);
}

/**
 * Decodes a file. UTF-16 is recognized by its byte order mark or by its zero bytes; single NUL bytes in a text become
 * spaces, so that they hide nothing.
 */
function textOf(bytes: Buffer): { text: string; isBinary: boolean } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: bytes.toString('utf16le', 2), isBinary: false };
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return {
      text: Buffer.from(bytes.subarray(2, bytes.length & ~1))
        .swap16()
        .toString('utf16le'),
      isBinary: false,
    };
  const skip = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (!bytes.includes(0)) return { text: bytes.toString('utf8', skip), isBinary: false };
  let zeros = 0;
  let odd = 0;
  for (const [at, byte] of bytes.entries()) {
    if (byte !== 0) continue;
    zeros += 1;
    odd += at & 1;
  }
  if (zeros > bytes.length * 0.4 && odd > zeros * 0.95)
    return { text: bytes.toString('utf16le'), isBinary: false };
  if (zeros <= Math.max(8, bytes.length * BINARY_SHARE) && isUtf8(bytes))
    return { text: bytes.toString('utf8', skip).replaceAll('\u0000', ' '), isBinary: false };
  return { text: bytes.toString('latin1').replaceAll('\u0000', ' '), isBinary: true };
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
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

/** Returns the line number of an index; indexes must be passed in ascending order. Each line end is looked for once. */
export function createLineCounter(text: string): (index: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (index) => {
    while (next >= 0 && next < index) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}
