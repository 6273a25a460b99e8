import { gzipSync } from 'node:zlib';
import { bundleOf, tarOf } from '../../../test/support/verification/bundles';
import { readBundle, unpackBundle } from './bundle';
import { readTar, TAR_LIMITS } from './tar';

describe('an untrusted tar archive', () => {
  it('gives its files, sorted, with long names and without directories', () => {
    const long = `${'deep/'.repeat(20)}file.txt`;
    const verdict = readTar(
      tarOf([
        { path: './src/', type: '5' },
        { path: './src/b.txt', text: 'b' },
        { path: long, text: 'long' },
        { path: 'a.txt', text: 'a'.repeat(513) },
      ]),
    );
    const files = verdict.ok ? verdict.files.map(({ path, bytes }) => [path, bytes.toString()]) : [];
    expect(files).toEqual([
      ['a.txt', 'a'.repeat(513)],
      [long, 'long'],
      ['src/b.txt', 'b'],
    ]);
  });

  it.each([
    ['a symbolic link', { path: 'a', type: '2' }, 'link'],
    ['a hard link', { path: 'a', type: '1' }, 'link'],
    ['a device', { path: 'a', type: '3' }, 'link'],
    ['a pipe', { path: 'a', type: '6' }, 'link'],
    ['an unknown kind', { path: 'a', type: 'S' }, 'tar'],
    ['a name that leads outside', { path: '../a' }, 'unsafe_path'],
    ['one that leads outside later', { path: 'a/../../b' }, 'unsafe_path'],
    ['an absolute name', { path: '/etc/passwd' }, 'unsafe_path'],
    ['a name of another system', { path: 'C:/a' }, 'unsafe_path'],
    ['a backslash', { path: '..\\a' }, 'unsafe_path'],
    ['a line break', { path: 'a\nb' }, 'unsafe_path'],
    ['a deep name', { path: `${'a/'.repeat(40)}b` }, 'unsafe_path'],
    ['a long name', { path: `${'a'.repeat(600)}` }, 'unsafe_path'],
  ])('is refused for %s', (_what, entry, type) => {
    expect(readTar(tarOf([{ path: 'ok' }, entry]))).toMatchObject({ ok: false, type });
  });

  it('is refused for two files of one name, and for data after its end', () => {
    expect(readTar(tarOf([{ path: 'a' }, { path: './a' }]))).toMatchObject({
      ok: false,
      type: 'unsafe_path',
    });
    const tar = tarOf([{ path: 'a' }]);
    expect(readTar(Buffer.concat([tar, Buffer.from('x'.repeat(512))]))).toMatchObject({
      ok: false,
      type: 'tar',
    });
  });

  it('is refused when it ends early or a header was changed', () => {
    const tar = tarOf([{ path: 'a', text: 'x'.repeat(2_000) }]);
    expect(readTar(tar.subarray(0, 1_024))).toMatchObject({ ok: false, type: 'tar' });
    tar[0] = 0x62;
    expect(readTar(tar)).toMatchObject({ ok: false, type: 'tar' });
  });

  it.each([
    [
      'attributes of macOS',
      Buffer.concat([
        Buffer.from('44 SCHILY.xattr.com.apple.provenance='),
        Buffer.from([1, 2, 0, 0xf3, 0x8a, 0xc1, 0x0a]),
      ]),
    ],
    ['an encoding', Buffer.from('21 hdrcharset=BINARY\n')],
    ['a comment of bytes', Buffer.from([...Buffer.from('14 comment='), 0xff, 0xfe, 0x0a])],
  ])('may state %s in a header of pax', (_what, header) => {
    const verdict = readTar(
      tarOf([
        { path: 'pax', type: 'x', text: header },
        { path: 'a.js', text: 'x' },
      ]),
    );
    expect(verdict.ok ? verdict.files.map(({ path }) => path) : verdict).toEqual(['a.js']);
  });

  it('is refused for a name of pax that is not UTF-8, also when the header calls it binary', () => {
    const header = Buffer.concat([Buffer.from('21 hdrcharset=BINARY\n9 path='), Buffer.from([0xff, 0x0a])]);
    expect(readTar(tarOf([{ path: 'pax', type: 'x', text: header }, { path: 'a' }]))).toMatchObject({
      ok: false,
      type: 'unsafe_path',
    });
  });

  // Each of these is read in another way by GNU tar or by a common library.
  it.each([
    ['a folder with content, which may be further entries', [{ path: 'd/', type: '5', text: tarOf([{ path: 'hidden' }]) }]],
    ['a file with a name of a folder', [{ path: 'd/', text: 'x' }]],
    ['one name for all files', [{ path: 'pax', type: 'g', text: pax('path', 'b') }, { path: 'a' }]],
    ['one size for all files', [{ path: 'pax', type: 'g', text: pax('size', '0') }, { path: 'a', text: 'x' }]],
    ['holes stated for all files', [{ path: 'pax', type: 'g', text: pax('GNU.sparse.major', '1') }, { path: 'a' }]],
    ['a name in two headers of pax', [{ path: 'pax', type: 'x', text: pax('path', 'b') }, { path: 'pax', type: 'x', text: pax('path', 'c') }, { path: 'a' }]],
    ['a name in a header of pax and one of GNU', [{ path: 'pax', type: 'x', text: pax('path', 'b') }, { path: 'gnu', type: 'L', text: 'c' }, { path: 'a' }]],
    ['a size that is no number', [{ path: 'pax', type: 'x', text: pax('size', '1e3') }, { path: 'a' }]],
    ['a header of pax without a length', [{ path: 'pax', type: 'x', text: 'path=b\n' }, { path: 'a' }]],
    ['a header of pax with a wrong length', [{ path: 'pax', type: 'x', text: '99 path=b\n' }, { path: 'a' }]],
    ['a header of pax with a negative length', [{ path: 'pax', type: 'x', text: '-5 path=b\n' }, { path: 'a' }]],
    ['a header of pax without a line end', [{ path: 'pax', type: 'x', text: '12 path=evil' }, { path: 'a' }]],
    ['a header of pax without a value', [{ path: 'pax', type: 'x', text: '7 path\n' }, { path: 'a' }]],
    ['a header of pax with a hexadecimal length', [{ path: 'pax', type: 'x', text: '0xb path=b\n' }, { path: 'a' }]],
    ['a header of pax with a rest', [{ path: 'pax', type: 'x', text: `${pax('path', 'b')}rest` }, { path: 'a' }]],
  ])('is refused for %s', (_what, entries) => {
    expect(readTar(tarOf(entries))).toMatchObject({ ok: false, type: 'tar' });
  }); // prettier-ignore

  it('is refused for a name that is not UTF-8', () => {
    const name = Buffer.from([0x61, 0xff]);
    expect(readTar(tarOf([{ path: 'gnu', type: 'L', text: name }, { path: 'a' }]))).toMatchObject({
      ok: false,
      type: 'unsafe_path',
    });
  });

  it('may hold a global header with remarks, as archives made by git do', () => {
    const verdict = readTar(
      tarOf([{ path: 'pax', type: 'g', text: pax('comment', 'b'.repeat(40)) }, { path: 'a' }]),
    );
    expect(verdict).toMatchObject({ ok: true, files: [{ path: 'a' }] });
  });

  it('may name a file in a header of pax', () => {
    const verdict = readTar(tarOf([{ path: 'pax', type: 'x', text: pax('path', 'ü/b') }, { path: 'a' }]));
    expect(verdict).toMatchObject({ ok: true, files: [{ path: 'ü/b' }] });
  });

  it('is refused for too many entries', () => {
    const entries = Array.from({ length: TAR_LIMITS.entries + 1 }, (_, index) => ({ path: `f${index}` }));
    expect(readTar(tarOf(entries))).toMatchObject({ ok: false, type: 'max_files' });
    const extensions = entries.map(({ path }) => ({ path, type: 'K', text: 'x' }));
    expect(readTar(tarOf([...extensions, { path: 'a' }]))).toMatchObject({ ok: false, type: 'max_files' });
  });
});

describe('a bundle', () => {
  it('is refused when it unpacks to 2 GiB, without taking that memory', async () => {
    // A gzip member of 64 MiB of zeros, 32 times: gzip joins them.
    const member = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
    const before = process.memoryUsage().rss;
    const verdict = unpackBundle(Buffer.concat(Array.from({ length: 32 }, () => member)));
    expect(verdict).toMatchObject({ ok: false, type: 'max_bytes' });
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
  });

  it('is refused for 100,000 files', async () => {
    const entries = Array.from({ length: 100_000 }, (_, index) => ({ path: `f${index}` }));
    const bundle = bundleOf(entries).toString('base64');
    expect(readBundle(bundle)).toMatchObject({ ok: false });
  });

  it('is refused for headers of more than 64 KiB, or of very many records, at once', async () => {
    const records = (count: number) => '6 a=b\n'.repeat(count);
    const one = bundleOf([{ path: 'pax', type: 'x', text: records(1_390_000) }, { path: 'a' }]);
    const many = bundleOf(
      Array.from({ length: 80 }, (_, n) => [
        { path: 'pax', type: 'x', text: records(10_000) },
        { path: `f${n}` },
      ]).flat(),
    );
    expect(one.length).toBeLessThan(32 * 1024);
    const slightly = bundleOf([{ path: 'pax', type: 'x', text: records(11_000) }, { path: 'a' }]);
    for (const bundle of [one, many, slightly]) {
      const before = process.cpuUsage();
      const verdict = unpackBundle(bundle);
      expect(verdict).toMatchObject({ ok: false, type: 'tar' });
      expect(verdict).toHaveProperty('msg', expect.stringMatching(/headers? of more than/));
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
    }
  });

  it('is refused when it is cut', async () => {
    const bundle = bundleOf({ 'a.txt': 'a' });
    expect(unpackBundle(bundle.subarray(0, 20))).toMatchObject({ ok: false, type: 'gzip' });
  });
});

/** A record of a pax header; `value` is short, so that the length has two digits. */
function pax(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest) + 2;
  return `${length < 11 ? length - 1 : length}${rest}`;
}
