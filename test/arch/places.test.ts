/**
 * Documents name the symbol and the file of a rule, and comments name the document that explains it: both must exist.
 */
import { existsSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { anchorsOf, filesOfDocuments, read, repositoryFiles, ROOT } from './repository-files';

interface Place {
  symbol: string;
  file: string;
}

const CODE = String.raw`((?:src|migrations|tools|test|console|packages|bench|ops)\/[\w./-]+\.\w+)`;
/** `symbol` in `file`, and `file` (`symbol`, …). */
const SYMBOL_IN_FILE = new RegExp(String.raw`\x60([\w.]+)\x60 (?:in|of)\s+\x60${CODE}\x60`, 'g');
const FILE_WITH_SYMBOL = new RegExp(String.raw`\x60${CODE}\x60\s\(\x60([\w.]+)\x60`, 'g');

function placesIn(text: string): Place[] {
  return [
    ...[...text.matchAll(SYMBOL_IN_FILE)].map(([, symbol = '', file = '']) => ({ symbol, file })),
    ...[...text.matchAll(FILE_WITH_SYMBOL)].map(([, file = '', symbol = '']) => ({ symbol, file })),
  ];
}

const isThere = ({ symbol, file }: Place): boolean =>
  existsSync(`${ROOT}/${file}`) &&
  new RegExp(String.raw`\b${symbol.replaceAll('.', '\\.')}\b`).test(read(file));

const documents = filesOfDocuments.filter((file) => file.endsWith('.md'));

it('finds a symbol that has moved', () => {
  expect(
    placesIn('`costOf` in `src/domain/errors.ts`, `src/domain/errors.ts` (`ERRORS`)').map(isThere),
  ).toEqual([false, true]);
});

it.each(documents.filter((file) => placesIn(read(file)).length > 0))('%s names existing symbols', (file) => {
  expect(placesIn(read(file)).filter((place) => !isThere(place))).toEqual([]);
});

/** The rows of the first table below a heading of a document. */
function rowsBelow(file: string, heading: string): string[] {
  const [, section = ''] = read(file).split(`\n## ${heading}\n`);
  const rows = section.split('\n## ')[0]?.match(/^\| .*$/gm) ?? [];
  return rows.slice(2);
}

/** A row may send the reader to a list below the table or to a section of a document instead of to a symbol. */
const leadsOn = (row: string): boolean => /\| see below|\]\([\w/.-]+\.md[)#]/.test(row);

it.each([
  ['ARCHITECTURE.md', 'Where a rule is'],
  ['ARCHITECTURE.md', 'Where to add'],
  ['docs/life-of-a-call.md', 'Who drives it'],
])('%s names a symbol in each row of "%s"', (file, heading) => {
  const rows = rowsBelow(file, heading);
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.filter((row) => placesIn(row).length === 0 && !leadsOn(row))).toEqual([]);
});

it.each(['The life of a call', 'What fails, and how the call ends'])('docs/life-of-a-call.md names a symbol in each row of "%s"', (heading) => {
  const page = read('docs/life-of-a-call.md').replace(/^# /, '\n## ');
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const rows = (section.split('\n## ')[0]?.match(/^\| .*$/gm) ?? []).slice(2);
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.filter((row) => placesIn(row).length === 0 && !row.includes('there is no call'))).toEqual([]);
}); // prettier-ignore

/** Documents that comments name and that are not in the repository: a package, a user or a command writes them. */
const ELSEWHERE = ['CHANGELOG.md', 'SKILL.md', 'README.md', 'readme.md'];
const CITATION = /(?<![\w<*/.-])((?:[\w.-]+\/)*[\w-]+\.md)(#[\w-]+)?/g;

/** A section that is cited by its heading: docs/ledger.md, "Digests". */
const SECTION = /(docs\/[\w/-]+\.md), "([^"]+)"/g;

/**
 * Citations of missing documents, as `file: document#anchor`. A name without a folder is one of docs/ or of
 * the folder of the file.
 */
function deadCitations(file: string, text: string): string[] {
  const comments = text.match(/\/\*\*?[^]*?\*\/|(?:^|\s)(?:\/\/|--|#) .*$/gm) ?? [];
  const lines = comments.map((comment) => comment.replace(/\n\s*(?:\*|\/\/|--|#)? ?/g, ' '));
  const sections = lines.flatMap((comment) => [...comment.matchAll(SECTION)]);
  const deadSections = sections.flatMap(([whole, path = '', heading = '']) =>
    existsSync(`${ROOT}/${path}`) && read(path).includes(`# ${heading}\n`) ? [] : [`${file}: ${whole}`],
  );
  const cited = comments.flatMap((comment) => [...comment.matchAll(CITATION)]);
  const dead = cited.flatMap(([whole, path = '', anchor = '']) => {
    if (ELSEWHERE.includes(path)) return [];
    const places = [path, posix.join(dirname(file), path)];
    const found = places.find((place) => existsSync(`${ROOT}/${place}`));
    const isDead =
      found === undefined || (anchor !== '' && !anchorsOf(read(found)).includes(anchor.slice(1)));
    return isDead ? [`${file}: ${whole}`] : [];
  });
  return [...deadSections, ...dead];
}

it('finds a citation of a missing document', () => {
  const text = '/** See docs/ledger.md#units, docs/ledger.md#no-such-heading and engine.md. */';
  expect(deadCitations('src/x.ts', text)).toEqual([
    'src/x.ts: docs/ledger.md#no-such-heading',
    'src/x.ts: engine.md',
  ]);
});

it('cites only existing documents in comments', () => {
  const code = repositoryFiles().filter(
    ({ file }) =>
      !file.endsWith('.md') && !/\/templates\/|test\/corpora\/|places\.test|\.vitepress\/\.temp\//.test(file),
  );
  expect(code.flatMap(({ file, text }) => deadCitations(file, text))).toEqual([]);
});
