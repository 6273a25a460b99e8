/** Bundles that attack the program that unpacks them: each is refused when it is published, and no file is kept. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { testManifest } from '../support/agents/manifest';
import { type BundleEntry, bundleOf, tarOf, zipOf } from '../support/verification/bundles';
import { type ProcessStack, type ServiceProcess, startProcessStack } from '../support/stack/process-stack';
import { publish, registerDeveloper, type TestDeveloper } from '../support/catalogue/publishing';

const MIB = 1024 * 1024;
/** Part of every name, so that a file that was left behind can be recognized. */
const MARK = `hostile-${randomUUID()}`;
const file = (path: string, text: string | Buffer = ''): BundleEntry => ({ path, text });
const names = (count: number) => Array.from({ length: count }, (_, at) => file(`${MARK}-${at}`));

/** A record of pax with the name of the next entry, which overrides the entry's own name. */
function renamed(path: string): BundleEntry[] {
  const rest = ` path=${path}\n`;
  const length = `${rest.length + 2}`.length + rest.length;
  return [{ path: 'pax', text: `${length}${rest}`, type: 'x' }, file('harmless.js')];
}

/** Members of gzip that become one stream of zeros. */
function zeros(mebibytes: number): Buffer {
  const member = gzipSync(Buffer.alloc(64 * MIB), { level: 9 });
  return Buffer.concat(Array.from({ length: mebibytes / 64 }, () => member));
}

const HOSTILE: [what: string, type: string, bundle: () => Buffer][] = [
  ['a gzip bomb of 2 GiB', 'max_bytes', () => zeros(2_048)],
  ['a file of 64 MiB', 'max_bytes', () => bundleOf([file(MARK, Buffer.alloc(64 * MIB))])],
  ['a header that promises 8 GiB', 'tar', () => gzipSync(promising('77777777777'))],
  ['a zip bomb', 'gzip', () => zipOf(new Map([[MARK, Buffer.alloc(64 * MIB)]]))],
  ['100,000 files', 'max_bytes', () => bundleOf(names(100_000))],
  ['as many files as 8 MiB hold', 'max_files', () => bundleOf(names(10_000))],
  ['a symbolic link', 'link', () => bundleOf([{ path: MARK, type: '2' }])],
  [
    'a symbolic link to write through',
    'link',
    () => bundleOf([{ path: MARK, type: '2' }, file(`${MARK}/a`)]),
  ],
  ['a hard link', 'link', () => bundleOf([{ path: MARK, type: '1' }])],
  ['a character device', 'link', () => bundleOf([{ path: MARK, type: '3' }])],
  ['a block device', 'link', () => bundleOf([{ path: MARK, type: '4' }])],
  ['a pipe', 'link', () => bundleOf([{ path: MARK, type: '6' }])],
  ['a name that leads outside', 'unsafe_path', () => bundleOf([file(`../${MARK}`)])],
  ['one that leads outside on its way', 'unsafe_path', () => bundleOf([file(`a/../../${MARK}`)])],
  ['one that a further header brings', 'unsafe_path', () => bundleOf(renamed(`../${MARK}`))],
  [
    'one that is long and leads outside',
    'unsafe_path',
    () => bundleOf([file(`${'a/'.repeat(20)}${'../'.repeat(40)}${MARK}`)]),
  ],
  ['an absolute name', 'unsafe_path', () => bundleOf([file(`/tmp/${MARK}`)])],
  ['an absolute name of another system', 'unsafe_path', () => bundleOf([file(`C:\\${MARK}`)])],
  ['one name twice', 'unsafe_path', () => bundleOf([file(MARK, 'a'), file(`./${MARK}`, 'b')])],
  [
    'an archive in the archive’s end',
    'tar',
    () => gzipSync(Buffer.concat([tarOf([file(MARK)]), tarOf([file(`../${MARK}`)])])),
  ],
];

/** One entry whose size is a lie. */
function promising(size: string): Buffer {
  const tar = tarOf([file(MARK)]);
  tar.write(size, 124);
  tar.write('        ', 148);
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}

let stack: ProcessStack;
let api: ServiceProcess;
let developer: TestDeveloper;
/** The folder for temporary files of the service. */
let temporary: string;
let slugs = 0;

beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'market-hostile-'));
  stack = await startProcessStack();
  api = await stack.addProcess('api', { env: { TMPDIR: temporary } });
  developer = await registerDeveloper({ url: api.url, owner: stack.owner });
}, 60_000);
afterAll(async () => {
  await stack.stop();
  rmSync(temporary, { recursive: true });
});

function send(bundle: Buffer) {
  slugs += 1;
  const manifest = testManifest('https://127.77.0.1:9443', { agentId: `hostile-${slugs}` });
  return publish(api, developer, manifest, { bundle_base64: bundle.toString('base64') });
}

async function kept(): Promise<number> {
  const { rows } = await stack.owner.query<{ n: number }>(
    `SELECT ((SELECT count(*) FROM agents) + (SELECT count(*) FROM agent_versions)
           + (SELECT count(*) FROM agent_bundles))::int AS n`,
  );
  return rows[0]?.n ?? NaN;
}

/** Files that the service has open, besides its log (Linux; none elsewhere, where they cannot be listed). */
function openFiles(): string[] {
  const folder = `/proc/${api.pid}/fd`;
  if (!existsSync(folder)) return [];
  const open = readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(join(folder, fd))];
    } catch {
      return [];
    }
  });
  return open.filter(
    (path) => path.startsWith('/') && !/^\/(?:dev|proc|sys)\/|\.(?:log|node|js|so)$/.test(path),
  );
}

it.each(HOSTILE)('%s is refused with 422, and nothing of it is left', async (_what, type, bundle) => {
  const reply = await send(bundle());
  expect([reply.status, reply.body.error?.code]).toEqual([422, 'validation_failed']);
  expect(reply.body.detail).toEqual([
    { loc: ['body', 'bundle_base64'], msg: expect.any(String) as unknown, type },
  ]);
  expect(reply.body.detail?.[0]?.msg.length).toBeGreaterThan(8);
  expect(await kept()).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
  expect(openFiles()).toEqual([]);
  // The targets of the archives' names, relative to any folder in which they could be unpacked.
  for (const place of ['/', '/tmp', process.cwd(), dirname(process.cwd()), dirname(temporary)])
    expect(existsSync(join(place, MARK))).toBe(false);
});

it('goes on for bundles of plain files', async () => {
  const reply = await send(bundleOf([file('src/a.js', 'work();\n'), file('LICENSE', 'MIT')]));
  expect(reply.status).toBe(201);
  expect(await kept()).toBe(3);
  expect(readdirSync(temporary)).toEqual([]);
});
