/** The text of `migrations/schema.sql`: the tables as they are, by subject, each with all that belongs to it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationNames } from '../../src/runtime/postgres/sql-migrations';
import type { Catalogue, Column, Part, Relation } from './catalogue';

const HEAD = `-- The tables of a database that all migrations have run on, by subject: each with its comments, constraints, indexes,
-- triggers, partitions, and the rights of other roles than the owner. The functions are in migrations/functions.
--
-- Written by \`npm run schema\` from a fresh database, and compared with one by a test. Nothing runs this file; a change of
-- a table is a migration (migrations/README.md).`;

const WIDTH = 118;
/** A relation that a migration creates, with the comment above it. */
const CREATES =
  /((?:^--.*\n)*)^CREATE (?:UNLOGGED )?(?:TABLE|VIEW|TYPE|SEQUENCE) (?:IF NOT EXISTS )?([\w.]+)/gm;
/** Tables that knex and the migration of functions make themselves. */
const BOOKS = new Map(
  ['schema_migrations', 'schema_migrations_lock', 'schema_functions'].map((name) => [name, '']),
);

/** Writes the page. Throws when a relation is in no migration. */
export function schemaText(catalogue: Catalogue, migrationsFolder: string): string {
  const subjects = [...subjectsOf(migrationsFolder), { title: 'migrations themselves', created: BOOKS }];
  const placed = new Set(subjects.flatMap(({ created }) => [...created.keys()]));
  const lost = catalogue.relations.filter(({ name }) => !placed.has(name));
  if (lost.length > 0) throw new Error(`no migration creates ${lost.map(({ name }) => name).join(', ')}`);
  const schemas = catalogue.schemas.map((name) => `CREATE SCHEMA ${name};`).join('\n');
  const sections = subjects.flatMap(({ title, created }) => {
    const texts = [...created].flatMap(([name, above]) =>
      catalogue.relations
        .filter((relation) => relation.name === name)
        .map((relation) => above + textOf(relation, catalogue)),
    );
    return texts.length === 0 ? [] : [`-- ${title} ${'-'.repeat(WIDTH - title.length - 4)}`, ...texts];
  });
  return `${[HEAD, schemas, ...sections].join('\n\n')}\n`;
}

interface Subject {
  title: string;
  /** The relations by name, each with the comment above it. */
  created: Map<string, string>;
}

/**
 * What each migration file creates, under the name of its subject. A relation belongs to the last file that creates it.
 */
function subjectsOf(folder: string): Subject[] {
  const files = migrationNames(folder).map((file) => ({
    title: `${file.slice(5, -4).replaceAll('_', ' ')} (${file})`,
    created: new Map(
      [...readFileSync(join(folder, file), 'utf8').matchAll(CREATES)].map(([, above = '', name = '']) => [
        name,
        above,
      ]),
    ),
  }));
  for (const [place, { created }] of files.entries())
    for (const name of created.keys())
      if (files.slice(place + 1).some((later) => later.created.has(name))) created.delete(name);
  return files;
}

function textOf(relation: Relation, catalogue: Catalogue): string {
  const parts = (list: Part[]) => list.filter((part) => part.relation === relation.name);
  const statements = (list: Part[]) => parts(list).map(({ text }) => `${wrapped(plain(text))};`);
  return [
    ...(relation.comment === null ? [] : comment(relation.comment, '')),
    creation(relation, catalogue),
    ...partitions(parts(catalogue.ofPartitions), relation),
    ...statements(catalogue.indexes),
    ...statements(catalogue.triggers),
    ...parts(catalogue.grants).map(({ name, text }) => {
      const kind = relation.kind === 'S' ? 'SEQUENCE ' : '';
      return `${wrapped(`GRANT ${text} ON ${kind}${relation.name} TO ${name}`)};`;
    }),
  ].join('\n');
}

function creation(relation: Relation, catalogue: Catalogue): string {
  const { name, kind, body } = relation;
  if (kind === 'S') return `CREATE SEQUENCE ${name} ${body};`;
  if (kind === 'v') return `CREATE VIEW ${name} AS\n${query(plain(body ?? ''))}`;
  const columns = catalogue.columns.filter((column) => column.relation === name);
  if (kind === 'c') return `CREATE TYPE ${name} AS (\n${lines(columns, []).join('\n')}\n);`;
  const constraints = catalogue.constraints.filter((part) => part.relation === name);
  const original = catalogue.columns.filter((column) => `archive.${column.relation}` === name);
  const inside =
    original.length > 0 && sameColumns(columns, original)
      ? [`  LIKE ${original[0]?.relation},`, ...lines([], constraints)]
      : lines(columns, constraints);
  const end = [
    relation.partitionedBy === null ? '' : ` PARTITION BY ${relation.partitionedBy}`,
    relation.options === null ? '' : ` WITH (${relation.options.replaceAll('=', ' = ')})`,
  ].join('');
  return `CREATE ${relation.isUnlogged ? 'UNLOGGED ' : ''}TABLE ${name} (\n${inside.join('\n')}\n)${end};`;
}

/**
 * Whether a table of the archive has the columns of the one whose months move there; those that are new have no
 * identity.
 */
function sameColumns(own: Column[], original: Column[]): boolean {
  const shape = ({ name, type, isRequired }: Column) => `${name} ${type} ${isRequired}`;
  return own.map(shape).join() === original.map(shape).join();
}

/** The lines of a table: columns aligned, each after its comment, then constraints. */
function lines(columns: Column[], constraints: Part[]): string[] {
  const width = Math.max(0, ...columns.map(({ name }) => name.length));
  const all = [
    ...columns.map((column) => ({
      above: column.comment === null ? [] : comment(column.comment, '  '),
      text: `${column.name.padEnd(width)}  ${[typeOf(column.type), column.isRequired ? 'NOT NULL' : '', plain(column.value)].filter((part) => part !== '').join(' ')}`,
    })),
    ...constraints.map(({ name, text }) => ({ above: [], text: `CONSTRAINT ${name} ${plain(text)}` })),
  ];
  return all.flatMap(({ above, text }, place) => [
    ...above,
    `  ${wrapped(text, '    ')}${place < all.length - 1 ? ',' : ''}`,
  ]);
}

function partitions(own: Part[], { name, kind }: Relation): string[] {
  if (kind !== 'p' || name.startsWith('archive.')) return [];
  const options = own.find((part) => part.name === '')?.text.replaceAll('=', ' = ');
  const extra = own
    .filter((part) => part.name !== '')
    .map(({ text }) =>
      plain(text).replaceAll(`months.${name}_default`, 'each').replaceAll(`${name}_default_`, '…_'),
    );
  const where = `Partitions: months.${name}_<yyyy>_<mm> for each month, and months.${name}_default for all other ids`;
  const first = [where, options ? `each ${options}` : '', extra.length > 0 ? 'and besides' : ''];
  return [
    ...comment(`${first.filter((part) => part !== '').join(', ')}${extra.length > 0 ? ':' : '.'}`, ''),
    ...extra.flatMap((text) => wrapped(text, '    ').split('\n')).map((line) => `--   ${line}`),
  ];
}

const TYPES: Record<string, string> = { 'timestamp with time zone': 'timestamptz' };
const typeOf = (type: string) => TYPES[type] ?? type;

/** Expressions as people write them: without casts of literals, and with IN. */
function plain(sql: string): string {
  return sql
    .replaceAll(/('(?:[^']|'')*')::(?:text|regclass|name|bpchar)/g, '$1')
    .replaceAll(/ = ANY \(ARRAY\[((?:'[^']*'|\d+)(?:, (?:'[^']*'|\d+))*)\]\)/g, ' IN ($1)')
    .replaceAll('public.', '')
    .replaceAll(' !~~ ', ' NOT LIKE ')
    .replaceAll(' ~~ ', ' LIKE ')
    .replaceAll(/ USING btree/g, '')
    .replaceAll(/ON ONLY /g, 'ON ')
    .replaceAll(/timestamp with time zone/g, 'timestamptz');
}

/** Breaks a long line after commas, or before AND, WHERE, FOR EACH, WHEN and EXECUTE. */
function wrapped(text: string, indent = '  '): string {
  const words = text.split(
    /(?<=,) | (?=(?:AND|OR|WHERE|FOR EACH|WHEN|EXECUTE|CHECK|REFERENCES|TO market_app)\b)/,
  );
  const out: string[] = [];
  let line = '';
  for (const word of words) {
    const room = WIDTH - indent.length - (out.length > 0 ? indent.length : 0);
    if (line !== '' && line.length + 1 + word.length > room) {
      out.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...out, line].join(`\n${indent}`);
}

/** The query of a view, with the columns of a list in one line. */
function query(sql: string): string {
  return sql
    .replaceAll(/,\n\s+/g, ', ')
    .split('\n')
    .map((line) => {
      const [indent = ''] = /^ */.exec(line) ?? [];
      return ` ${indent}${wrapped(line.trim(), `${indent}     `)}`;
    })
    .join('\n');
}

function comment(text: string, indent: string): string[] {
  const out: string[] = [];
  let line = `${indent}--`;
  for (const word of text.split(/\s+/)) {
    if (line.length + 1 + word.length > WIDTH) {
      out.push(line);
      line = `${indent}--`;
    }
    line += ` ${word}`;
  }
  return [...out, line];
}
