/**
 * Reads attacker-controlled tar archives (ustar with pax and GNU extensions) in memory; nothing is written to disk.
 *
 * The scan must see the files that any other reader of the archive would see. So an archive is refused when it holds
 * anything but plain files and directories, when a name is not relative or leads outside, and whenever two readers
 * could disagree about a name or a size (docs/internals/own-parts.md).
 */
import { isUtf8 } from 'node:buffer';

export interface TarFile {
  /** Relative, with `/`, without `.` and `..` segments. */
  path: string;
  bytes: Buffer;
}

export type TarVerdict = { ok: true; files: TarFile[] } | { ok: false; msg: string; type: string };

export const TAR_LIMITS = {
  entries: 5_000,
  depth: 32,
  pathBytes: 512,
  extensionBytes: 64 * 1024,
  allExtensionsBytes: 1024 * 1024,
} as const;

const BLOCK = 512;
const CHECKSUM = { at: 148, length: 8 } as const;
const PLAIN_TYPES = new Set(['0', '\0', '7']);
const DIRECTORY = '5';
/** Long names, and pax headers of one entry (x) and of all (g). */
const EXTENSIONS = new Set(['L', 'K', 'x', 'g']);
const NEWLINE = 0x0a;
const DECIMAL = /^[1-9][0-9]{0,8}$/;
/** The names of refused types in messages. */
const REFUSED_TYPES: Record<string, string> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
};

class Refusal extends Error {
  constructor(
    message: string,
    readonly type: string,
  ) {
    super(message);
  }
}

interface Header {
  name: string;
  size: number;
  type: string;
}

/** What extension headers state about the entry that follows them. */
interface Extension {
  path?: string;
  size?: number;
}

/**
 * Returns the plain files of an unpacked tar archive, sorted by path, or the reason for refusing it (`type`: `tar`,
 * `unsafe_path`, `link` or `max_files`).
 */
export function readTar(tar: Buffer): TarVerdict {
  try {
    const files = [...readEntries(tar)].sort((a, b) => (a.path < b.path ? -1 : 1));
    const twice = files.find((file, index) => file.path === files[index + 1]?.path);
    if (twice) throw new Refusal(`holds ${shown(twice.path)} twice`, 'unsafe_path');
    return { ok: true, files };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, msg: error.message, type: error.type };
    throw error;
  }
}

function* readEntries(tar: Buffer): Generator<TarFile> {
  let extension: Extension = {};
  let entries = 0;
  let extensionBytes = 0;
  let at = 0;
  while (at + BLOCK <= tar.length && tar[at] !== 0) {
    entries += 1;
    if (entries > TAR_LIMITS.entries)
      throw new Refusal(`holds more than ${TAR_LIMITS.entries} entries`, 'max_files');
    const header = readHeader(tar.subarray(at, at + BLOCK));
    const size = extension.size ?? header.size;
    const content = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length !== size) throw new Refusal('ends in the middle of a file', 'tar');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (EXTENSIONS.has(header.type)) extensionBytes += requireShort(content, extensionBytes);
    const extended = readExtension(header.type, content, extension);
    if (extended) {
      extension = extended;
      continue;
    }
    const name = extension.path ?? header.name;
    const path = safePath(name);
    extension = {};
    if (header.type === DIRECTORY) {
      requireEmpty(size, path);
      continue;
    }
    requirePlain(header.type, path);
    if (path === '') throw new Refusal('holds a file without a name', 'unsafe_path');
    if (name.endsWith('/')) throw new Refusal(`holds a file with a name of a folder: ${shown(path)}`, 'tar');
    yield { path, bytes: content };
  }
  if (entries === 0) throw new Refusal('is not a tar archive', 'tar');
  if (!tar.subarray(at).equals(Buffer.alloc(tar.length - at)))
    throw new Refusal('holds something after its end', 'tar');
}

/** Bounds the headers of one entry and of all entries: reading their records takes far longer than unpacking them. */
function requireShort({ length }: Buffer, before: number): number {
  const { extensionBytes, allExtensionsBytes } = TAR_LIMITS;
  if (length > extensionBytes) throw new Refusal(`has a header of more than ${extensionBytes} bytes`, 'tar');
  if (before + length > allExtensionsBytes)
    throw new Refusal(`has headers of more than ${allExtensionsBytes} bytes in all`, 'tar');
  return length;
}

/** Some readers ignore the size of a directory and read its content as further entries. */
function requireEmpty(size: number, path: string): void {
  if (size !== 0) throw new Refusal(`holds a folder with content of its own: ${shown(path)}`, 'tar');
}

function requirePlain(type: string, path: string): void {
  if (PLAIN_TYPES.has(type)) return;
  const what = REFUSED_TYPES[type];
  if (what) throw new Refusal(`holds ${what}: ${shown(path)}`, 'link');
  throw new Refusal(`holds an entry of an unknown kind: ${shown(path)}`, 'tar');
}

function readHeader(block: Buffer): Header {
  if (checksum(block) !== octal(block, CHECKSUM.at, CHECKSUM.length))
    throw new Refusal('is not a tar archive', 'tar');
  const isUstar = block.toString('latin1', 257, 262) === 'ustar';
  const prefix = isUstar && block[262] === 0 ? text(block, 345, 155) : '';
  const name = text(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: octal(block, 124, 12),
    type: String.fromCharCode(block[156] ?? 0),
  };
}

/** The sum of the header's bytes, in which the checksum field counts as spaces. */
function checksum(block: Buffer): number {
  let sum = CHECKSUM.length * 0x20;
  for (const [index, byte] of block.entries()) {
    if (index < CHECKSUM.at || index >= CHECKSUM.at + CHECKSUM.length) sum += byte;
  }
  return sum;
}

/** Adds an extension header to those before it. Undefined when the entry is not an extension. */
function readExtension(type: string, content: Buffer, before: Extension): Extension | undefined {
  if (type === 'L') return merged(before, { path: text(content, 0, content.length) });
  if (type === 'x') return merged(before, readPax(content));
  if (type === 'g') return withoutOverrides(readPax(content), before);
  // The long name of a link: links are refused.
  if (type === 'K') return before;
  return undefined;
}

/** Readers disagree about which of two extension headers takes precedence. */
function merged(before: Extension, more: Extension): Extension {
  const isTwice =
    (before.path !== undefined && more.path !== undefined) ||
    (before.size !== undefined && more.size !== undefined);
  if (isTwice) throw new Refusal('states a name or a size twice', 'tar');
  return { ...before, ...more };
}

/**
 * A global header may hold remarks, such as the commit that `git archive` notes. Some readers ignore its names and
 * sizes.
 */
function withoutOverrides({ path, size }: Extension, before: Extension): Extension {
  if (path !== undefined || size !== undefined)
    throw new Refusal('states one name or size for all files', 'tar');
  return before;
}

/** Reads records of `length key=value\n`, where `length` is decimal and counts the whole record. */
function readPax(content: Buffer): Extension {
  const found: Extension = {};
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const digits = content.toString('latin1', at, Math.max(at, space));
    const end = at + (DECIMAL.test(digits) ? Number(digits) : Number.NaN);
    // A length that is not a number is NaN, which fails every comparison.
    const isRecord = end - 1 > space && end <= content.length && content[end - 1] === NEWLINE;
    const record = content.subarray(space + 1, isRecord ? end - 1 : 0);
    const sign = record.indexOf(0x3d);
    if (sign < 0) throw new Refusal('has a header that cannot be read', 'tar');
    // Values of other keys are bytes, such as the attributes of a file on macOS.
    const key = record.toString('latin1', 0, sign);
    if (key === 'path') found.path = utf8(record.subarray(sign + 1));
    if (key === 'size') found.size = sizeOf(record.toString('latin1', sign + 1), 10);
    if (key.startsWith('GNU.sparse')) throw new Refusal('holds a file with holes', 'tar');
    at = end;
  }
  return found;
}

/** Refuses every name that could lead outside the folder, or to another place on another system. */
function safePath(name: string): string {
  const refuse = (why: string) => new Refusal(`holds a name that ${why}: ${shown(name)}`, 'unsafe_path');
  if (Buffer.byteLength(name) > TAR_LIMITS.pathBytes) throw refuse('is too long');
  // eslint-disable-next-line no-control-regex -- refused here
  if (/[\u0000-\u001f\u007f]/.test(name)) throw refuse('has control characters');
  if (name.includes('\\')) throw refuse('has a backslash');
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) throw refuse('is absolute');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refuse('leads outside');
  if (parts.length > TAR_LIMITS.depth) throw refuse('is too deep');
  return parts.join('/');
}

/** An untrusted name for a message: short, and on one line. */
function shown(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/** The text up to the first NUL. Refuses bytes that are not UTF-8. */
function text(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return utf8(end < 0 ? field : field.subarray(0, end));
}

/** A decoder that is fatal for wrong bytes takes several times as long for short texts. */
function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Refusal('holds a name that is not UTF-8', 'unsafe_path');
  return bytes.toString('utf8');
}

function octal(block: Buffer, at: number, length: number): number {
  const field = block
    .toString('latin1', at, at + length)
    .replaceAll('\0', ' ')
    .trim();
  return sizeOf(field === '' ? '0' : field, 8);
}

function sizeOf(digits: string, base: 8 | 10): number {
  const isNumber = base === 8 ? /^[0-7]{1,12}$/.test(digits) : /^[0-9]{1,12}$/.test(digits);
  if (!isNumber) throw new Refusal('has a header that cannot be read', 'tar');
  return Number.parseInt(digits, base);
}
