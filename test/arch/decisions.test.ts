/** The records of decisions (docs/adr): their form, their numbers, and what cites them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AREAS, DECISIONS, readDecisions } from '../../tools/reference/decisions';
import { repositoryFiles } from './repository-files';

const records = readDecisions();
const numbers = records.map(({ number }) => number);
const textOf = (file: string) => readFileSync(join(DECISIONS, file), 'utf8');

/** Each relation of one record to another, and the name that the other record gives it. */
const INVERSE: Record<string, string> = {
  'Superseded by': 'Supersedes',
  Supersedes: 'Superseded by',
  'Superseded in part by': 'Supersedes in part',
  'Supersedes in part': 'Superseded in part by',
  'Extended by': 'Extends',
  Extends: 'Extended by',
};

interface Relation {
  from: string;
  name: string;
  to: string;
  link: string;
}

/** The relations that the lines below the status of a record state. */
function relationsOf(number: string, text: string): Relation[] {
  const lines = text.match(/^- (?:Supersede[sd]|Exten(?:ds|ded)) [^]*?(?=\n(?:-|\n))/gm) ?? [];
  return lines.flatMap((line) => {
    const [, name = '', to = '', link = ''] =
      /^- ([A-Z][a-z ]*?) \[ADR (\d{4})\]\(([^)]*)\)/.exec(line) ?? [];
    return [{ from: number, name, to, link }];
  });
}

const relations = records.flatMap(({ number, file }) => relationsOf(number, textOf(file)));

it('has every record in the folder of an area', () => {
  const entries = readdirSync(DECISIONS).filter((name) => name !== 'README.md');
  expect(entries.sort()).toEqual(Object.keys(AREAS).sort());
});

it('gives each decision a number of its own', () => {
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});

it.each(records)('$number has context, decision and consequences as headings', ({ file }) => {
  const text = textOf(file);
  expect(text).not.toMatch(/^(?:\*\*(?:Context|Decision|Consequences)\.\*\*|## (?:Why|What)$)/m);
  expect(text).toMatch(/^## Decision$/m);
});

it('states in both records that one supersedes or extends the other', () => {
  expect(relations.length).toBeGreaterThan(20);
  const stated = relations.map(({ from, name, to }) => `${from} ${name} ${to}`);
  const missing = relations
    .map(({ from, name, to }) => `${to} ${INVERSE[name] ?? 'unknown relation'} ${from}`)
    .filter((line) => !stated.includes(line));
  expect(missing).toEqual([]);
});

it('gives each record the status that its relations have', () => {
  const expected = (number: string) => {
    const names = relations.filter(({ from }) => from === number).map(({ name }) => name);
    if (names.includes('Superseded by')) return 'superseded';
    return names.includes('Superseded in part by') ? 'superseded in part' : 'accepted';
  };
  const wrong = records.filter(({ number, status }) => status !== expected(number));
  expect(wrong.map(({ number, status }) => `${number}: ${status}`)).toEqual([]);
});

it('links each relation to the file of the number that it names', () => {
  const byNumber = new Map(records.map(({ number, file }) => [number, file]));
  const wrong = relations.filter(
    ({ from, to, link }) => join(dirname(byNumber.get(from) ?? ''), link) !== byNumber.get(to),
  );
  expect(wrong).toEqual([]);
});

/** Numbers of records that a text cites: `ADR 0004`, `ADRs 0002 and 0065`, `ADR 0082 to 0084`. */
function citedNumbers(text: string): string[] {
  const plain = text.replace(/\n\s*(?:\*|--|#|\/\/)?\s*/g, ' ').replace(/\]\([^)]*\)/g, '').replace(/\[/g, ''); // prettier-ignore
  const lists = plain.match(/\bADRs? \d{4}(?:(?:, | and | to | or |, ADR )\d{4}\b)*/g) ?? [];
  return lists.flatMap((list) => list.match(/\d{4}/g) ?? []);
}

it('has the record of every number that a file cites', () => {
  expect(citedNumbers('by ADRs\n * 0002 and 0065, ADR 0082 to [0084](x.md)')).toEqual(['0002', '0065', '0082', '0084']); // prettier-ignore
  const missing = repositoryFiles().flatMap(({ file, text }) =>
    citedNumbers(text).filter((number) => !numbers.includes(number)).map((number) => `${file}: ADR ${number}`),
  ); // prettier-ignore
  expect(missing).toEqual([]);
});
