/**
 * Tar archives of strangers, read in memory and never written to a disk: ustar with the extensions of pax and GNU.
 * Only plain files and directories are taken; every name is relative, stays inside and means the same everywhere.
 */
export interface TarFile {
  /** Relative, with `/`, without `.` and `..`. */
  path: string;
  bytes: Buffer;
}

export type TarVerdict = { ok: true; files: TarFile[] } | { ok: false; msg: string; type: string };

export const TAR_LIMITS = { entries: 5_000, depth: 32, pathBytes: 512 } as const;

const BLOCK = 512;
const CHECKSUM = { at: 148, length: 8 } as const;
const PLAIN_TYPES = new Set(['0', '\0', '7']);
const DIRECTORY = '5';
/** What a type means to people. */
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

/** What an extension header says about the entry after it. */
interface Extension {
  path?: string;
  size?: number;
}

/** The plain files of an unpacked tar, sorted by path; or why it is refused (`type`: tar, unsafe_path, link, max_files). */
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
    const extended = readExtension(header.type, content, extension);
    if (extended) {
      extension = extended;
      continue;
    }
    const path = safePath(extension.path ?? header.name);
    extension = {};
    if (header.type === DIRECTORY) continue;
    requirePlain(header.type, path);
    if (path === '') throw new Refusal('holds a file without a name', 'unsafe_path');
    yield { path, bytes: content };
  }
  if (entries === 0) throw new Refusal('is not a tar archive', 'tar');
  if (!tar.subarray(at).equals(Buffer.alloc(tar.length - at)))
    throw new Refusal('holds something after its end', 'tar');
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

/** The sum of the header's bytes, with the checksum itself read as spaces. */
function checksum(block: Buffer): number {
  let sum = CHECKSUM.length * 0x20;
  for (const [index, byte] of block.entries()) {
    if (index < CHECKSUM.at || index >= CHECKSUM.at + CHECKSUM.length) sum += byte;
  }
  return sum;
}

/** Undefined for an entry that is no extension. */
function readExtension(type: string, content: Buffer, before: Extension): Extension | undefined {
  if (type === 'L') return { ...before, path: text(content, 0, content.length) };
  if (type === 'x') return { ...before, ...readPax(content) };
  // Long names of links, and what a pax header says about all that follows: neither names a plain file.
  if (type === 'K' || type === 'g') return before;
  return undefined;
}

/** Records of `length key=value\n`, the length in decimal and of the whole record. */
function readPax(content: Buffer): Extension {
  const found: Extension = {};
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.toString('latin1', at, Math.max(at, space)));
    if (space < 0 || !Number.isInteger(length) || length < 5 || at + length > content.length)
      throw new Refusal('has a header that cannot be read', 'tar');
    const [key, ...value] = utf8(content.subarray(space + 1, at + length - 1)).split('=');
    if (key === 'path') found.path = value.join('=');
    if (key === 'size') found.size = sizeOf(value.join('='), 10);
    if (key?.startsWith('GNU.sparse')) throw new Refusal('holds a file with holes', 'tar');
    at += length;
  }
  return found;
}

/** Refuses every name that could mean a place outside, or another place on another system. */
function safePath(name: string): string {
  const refuse = (why: string) => new Refusal(`holds a name that ${why}: ${shown(name)}`, 'unsafe_path');
  if (Buffer.byteLength(name) > TAR_LIMITS.pathBytes) throw refuse('is too long');
  // eslint-disable-next-line no-control-regex -- they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(name)) throw refuse('has control characters');
  if (name.includes('\\')) throw refuse('has a backslash');
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) throw refuse('is absolute');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refuse('leads outside');
  if (parts.length > TAR_LIMITS.depth) throw refuse('is too deep');
  return parts.join('/');
}

/** A stranger's name in a message: short, and on one line. */
function shown(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/** Text up to the first NUL; refuses what is not UTF-8. */
function text(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return utf8(end < 0 ? field : field.subarray(0, end));
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal('holds a name that is not UTF-8', 'unsafe_path');
  }
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
