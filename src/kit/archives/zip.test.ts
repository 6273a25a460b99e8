import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipOf } from '../../../test/support/verification/bundles';
import { readZip } from './zip';

const MAX_BYTES = 1_000;
const DIRECTORY_SIGNATURE = Buffer.from('PK\u0001\u0002', 'latin1');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-zip-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function read(archive: Buffer): Promise<[string, string | null][]> {
  const path = join(folder, 'a.zip');
  writeFileSync(path, archive);
  const found: [string, string | null][] = [];
  const isWanted = (name: string) => name.endsWith('.json');
  for await (const { name, bytes } of readZip(path, { isWanted, maxBytes: MAX_BYTES }))
    found.push([name, bytes === null ? null : bytes.toString()]);
  return found;
}

const archiveOf = (files: Record<string, string>) =>
  zipOf(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])));

/** The archive with `edit` applied to the directory entry of its first file. */
function withEntry(archive: Buffer, edit: (entry: Buffer) => void): Buffer {
  edit(archive.subarray(archive.indexOf(DIRECTORY_SIGNATURE)));
  return archive;
}

describe('a zip archive', () => {
  it('gives its wanted files in order, whatever paths their names contain', async () => {
    const archive = archiveOf({
      'b.json': 'b',
      'skipped.txt': 'x',
      '../a.json': 'a',
      '/c.json': '',
      'ü.json': 'ü',
    });
    expect(await read(archive)).toEqual([
      ['b.json', 'b'],
      ['../a.json', 'a'],
      ['/c.json', ''],
      ['ü.json', 'ü'],
    ]);
  });

  it('may have a zip64 directory', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `${index}.json`);
    const archive = archiveOf(Object.fromEntries(names.map((name) => [name, name])));
    expect(await read(zip64(archive))).toEqual(names.map((name) => [name, name]));
  });

  it.each([
    ['is larger than the limit', archiveOf({ 'a.json': 'x'.repeat(MAX_BYTES + 1), 'b.json': 'b' })],
    [
      'is encrypted',
      withEntry(archiveOf({ 'a.json': 'a', 'b.json': 'b' }), (entry) => entry.writeUInt16LE(1, 8)),
    ],
    [
      'has another method',
      withEntry(archiveOf({ 'a.json': 'a', 'b.json': 'b' }), (entry) => entry.writeUInt16LE(93, 10)),
    ],
    [
      'lies about its size',
      withEntry(archiveOf({ 'a.json': 'x'.repeat(64 * 1024), 'b.json': 'b' }), (entry) =>
        entry.writeUInt32LE(10, 24),
      ),
    ],
    [
      'points outside',
      withEntry(archiveOf({ 'a.json': 'a', 'b.json': 'b' }), (entry) => entry.writeUInt32LE(0x7fff_ffff, 42)),
    ],
  ])('gives no content for a file that %s, and goes on', async (_what, archive) => {
    expect(await read(archive)).toEqual([
      ['a.json', null],
      ['b.json', 'b'],
    ]);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['prose', Buffer.from('not an archive'.repeat(100))],
    ['cut', archiveOf({ 'a.json': 'a' }).subarray(0, -4)],
    ['without its directory', withEntry(archiveOf({ 'a.json': 'a' }), (entry) => entry.fill(0, 0, 4))],
  ])('is refused when it is %s', async (_what, archive) => {
    await expect(read(archive)).rejects.toThrow('is not a zip archive');
  });

  it('is refused when it is cut, at any length', async () => {
    const whole = archiveOf({ 'a.json': 'a'.repeat(200), 'b.json': 'b' });
    for (let length = 0; length < whole.length; length += 1)
      await expect(read(whole.subarray(0, length))).rejects.toThrow('is not a zip archive');
  });

  it('keeps the error of the file system when there is no file', async () => {
    const entries = readZip(join(folder, 'none.zip'), { isWanted: () => true, maxBytes: 1 });
    await expect(entries.next()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

/** The archive with a zip64 directory, whose counts and offsets replace those of the ordinary end record. */
function zip64(archive: Buffer): Buffer {
  const end = archive.subarray(-22);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(end.readUInt16LE(10)), 32);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(archive.length - end.length), 8);
  const marked = Buffer.from(end);
  marked.writeUInt32LE(0xffff_ffff, 12);
  marked.writeUInt32LE(0xffff_ffff, 16);
  marked.writeUInt16LE(0xffff, 10);
  return Buffer.concat([archive.subarray(0, -22), record, locator, marked]);
}
