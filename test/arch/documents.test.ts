/** Documents name files and link to each other; every path and every link must have a target. */
import { dirname, posix } from 'node:path';
import { EVENT_TYPES } from '../../src/domain/webhooks/event';
import { blocksOf } from '../support/documents/documents';
import { anchorsOf, filesOfDocuments as files, FOLDERS, read } from './repository-files';
import {
  PAYMENT_PAGES,
  PYTHON_TUTORIALS,
  RUN_BY_OTHERS,
  RUNBOOKS,
  STACK_PAGES,
  TUTORIALS,
} from '../support/documents/pages';

/** A file that a command writes and that is never committed, methods of MCP, and files of an agent of `market init`. */
const NO_FILES = [
  'docs/openapi.json',
  'packages/client/src/api-types.d.ts',
  'tools/call',
  'tools/list',
  'src/agent.ts',
  'src/jobs.ts',
  'src/server.ts',
  'src/agent.test.ts',
];

const PATH = new RegExp(`(?<![\\w./<>*-])(?:${FOLDERS.join('|')})/[\\w.*<>/-]*`, 'g');
const LINK = /\]\(([^()\s]+)\)/g;

const documents = files.filter((file) => file.endsWith('.md'));

/** Whether a file, a folder or anything that a pattern stands for exists. `<name>` and `*` stand for one name. */
function exists(path: string): boolean {
  if (path === '' || NO_FILES.includes(path)) return true;
  const pattern = path
    .replace(/\/$/, '')
    .replace(/<\w+>/g, '*')
    .replace(/[.+]/g, '\\$&')
    .replace(/\*\*\//g, '(?:.{0,}/)?')
    .replace(/\*/g, '[^/]*');
  const expression = new RegExp(`^${pattern}(?:/.*)?$`);
  return files.some((file) => expression.test(file));
}

/** Links of a document without a target. */
function brokenLinks(file: string): string[] {
  const links = [...read(file).matchAll(LINK)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : posix.join(dirname(file), path);
    return !exists(target) || (anchor !== undefined && !anchorsOf(read(target)).includes(anchor));
  });
}

it.each(documents)('%s names files that exist', (file) => {
  const paths = (read(file).match(PATH) ?? []).map((path) => path.replace(/[.-]+$/, ''));
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});

it.each(documents)('%s has no broken links', (file) => {
  expect(brokenLinks(file)).toEqual([]);
});

/** Beginnings of lines that a reader would paste into a terminal. */
const COMMAND =
  /^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:market|npm|npx|node|curl|docker|kubectl|kubeconform|psql|claude|pip|python3) (?! *=)\S/m;

/** Pages with commands; decisions are left out, because they describe the past. */
const pages = documents.filter(
  (file) => (file === 'README.md' || file.startsWith('docs/') || file.startsWith('packages/')) &&
    !file.startsWith('docs/adr/') && !file.includes('/templates/') && RUN_BY_OTHERS[file] === undefined,
); // prettier-ignore

it('lists each page whose commands are run in a test', () => {
  const listed = [...TUTORIALS, ...PYTHON_TUTORIALS, ...STACK_PAGES, ...PAYMENT_PAGES, ...RUNBOOKS];
  const run = pages.filter((file) => blocksOf(read(file)).some(({ kind }) => kind === 'run'));
  expect([...run].sort()).toEqual([...listed].sort());
});

it.each(pages)('%s marks each command as run or as not run', (file) => {
  const blocks = blocksOf(read(file)).filter(({ kind, text }) => kind === 'shown' && COMMAND.test(text));
  expect(blocks.map(({ line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});

it.each(pages)('%s names the folder of the local stack by MARKET_HOME in its commands', (file) => {
  const commands = blocksOf(read(file)).filter(({ kind }) => kind === 'run');
  const fixed = commands.filter(({ text }) => /(?<!\$PWD\/|:-|\bio)\.market\//.test(text));
  expect(fixed.map(({ line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});

it('finds a broken path and a broken link', () => {
  expect('see `src/domain/nothing.ts`'.match(PATH)?.map(exists)).toEqual([false]);
  expect('`src/*/payouts`, `src/services/calls/invocation-*.ts`'.match(PATH)?.map(exists)).toEqual([
    true,
    true,
  ]);
  expect(anchorsOf(read('README.md'))).toContain('where-things-are');
});

it('docs/webhooks.md lists every type of event', () => {
  const named: string[] = read('docs/webhooks.md').match(/`[a-z_]+\.[a-z_]+`/g) ?? [];
  expect(EVENT_TYPES.filter((type) => !named.includes(`\`${type}\``))).toEqual([]);
});

it('docs/operations.md quotes log messages as the code has them', () => {
  const [, logs = ''] = read('docs/operations.md').split('\n## Logs\n');
  const rows = logs.split('\n## ')[0]?.match(/^\| `[^|]*\|/gm) ?? [];
  const messages = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
  const code = files.filter((file) => /^src\/.*\.ts$/.test(file)).map(read).join('\n'); // prettier-ignore
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((message) => !code.includes(message.replace(/…$/, '')))).toEqual([]);
});
