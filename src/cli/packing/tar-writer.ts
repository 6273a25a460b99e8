/** Writes reproducible tar archives: the same files give the same bytes, without times and owners, sorted by path. */
export interface TarSource {
  /** Relative path, with `/`. */
  path: string;
  bytes: Buffer;
}

const BLOCK = 512;
const NAME_BYTES = 100;

export function writeTar(files: readonly TarSource[]): Buffer {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const blocks = sorted.flatMap(({ path, bytes }) => [
    ...longName(path),
    header(path, '0', bytes.length),
    padded(bytes),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** A pax header for a name that the ordinary header cannot hold. */
function longName(path: string): Buffer[] {
  const isPlain = /^[\x20-\x7e]*$/.test(path) && path.length <= NAME_BYTES;
  if (isPlain) return [];
  const record = paxRecord('path', path);
  return [header('pax', 'x', record.length), padded(record)];
}

/** `length key=value\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function header(path: string, type: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path.replaceAll(/[^\x20-\x7e]/g, '_').slice(0, NAME_BYTES), 0, 'latin1');
  block.write('0000644\0' + '0000000\0' + '0000000\0', 100, 'latin1');
  block.write(`${size.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124, 'latin1');
  block.write(' '.repeat(8) + type, 148, 'latin1');
  block.write('ustar\0' + '00', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function padded(bytes: Buffer): Buffer {
  const rest = bytes.length % BLOCK;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(BLOCK - rest)]);
}
