/** Who calls each SQL function: other functions, triggers, CHECKs, columns, views, migrations, and the stores. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { readFunctionFiles, type FunctionFile } from '../../src/runtime/postgres/function-files';
import { migrationNames, migrationParts } from '../../src/runtime/postgres/sql-migrations';

/** More triggers than these are counted, and not named. */
const MOST_TRIGGERS = 5;
const WIDTH = 120;
/** Functions for repairs, which the owner of the tables calls in psql. */
const BY_HAND = ['earning_days_recount', 'owner_groups_recount', 'usage_recount'];

export interface Callers {
  file: FunctionFile;
  /** The list as a header has it, e.g. `ledger_hold, src/stores/calls/invocations.ts`. */
  list: string;
}

/** The callers of each function, by its name, in the order of the files. */
export function callersOf(root: string): Callers[] {
  const migrations = join(root, 'migrations');
  const files = readFunctionFiles(migrations);
  const bodies = files.map(({ name, sql }) => ({ name, sql: withoutComments(sql) }));
  const statements = statementsOf(readFileSync(join(migrations, 'schema.sql'), 'utf8'));
  const ups = migrationNames(migrations).map((name) => withoutComments(migrationParts(migrations, name).up));
  const sources = stringsOfStores(root);
  return files.map((file) => {
    const call = new RegExp(`(?<![\\w.])${file.name}\\(|\\bSFUNC = ${file.name}\\b`, 'i');
    const functions = bodies.filter(({ name, sql }) => name !== file.name && call.test(sql));
    const calls = [
      ...(BY_HAND.includes(file.name) ? ['the owner of the tables'] : []),
      ...functions.map(({ name }) => name).sort(),
      ...inSchema(statements, file.name),
      ...(ups.some((up) => new RegExp(`^SELECT ${file.name}\\(`, 'm').test(up)) ? ['migrations'] : []),
      ...sources.filter(({ strings }) => strings.some((text) => call.test(text))).map(({ path }) => path),
    ];
    return { file, list: calls.join(', ') };
  });
}

/** The text of a file with this list of callers; what its header says behind the list stays. */
export function withCallers(sql: string, list: string): string {
  const [, before = '', header = '', after = ''] =
    /^([^]*?)(-- Called by: [^]*?)(\n-- Locks: [^]*)$/.exec(sql) ?? [];
  const rest = header.replaceAll('\n-- ', ' ').replace(/^-- Called by: .*?\.(?= |$)/, '');
  return `${before}${wrapped(`Called by: ${list}.${rest}`)}${after}`;
}

function wrapped(text: string): string {
  const out: string[] = [];
  let line = '--';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      out.push(line);
      line = '--';
    }
    line += ` ${word}`;
  }
  return [...out, line].join('\n');
}

/** What a statement of the schema calls a function for. */
function inSchema(statements: string[], name: string): string[] {
  const call = new RegExp(`(?<![\\w.])${name}\\(`);
  const found = statements.filter((text) => call.test(text)).flatMap((text) => usesIn(text, call));
  const triggers = found.filter((use) => use.startsWith('trigger '));
  const others = [...new Set(found.filter((use) => !use.startsWith('trigger ')))];
  if (triggers.length <= MOST_TRIGGERS) return [...triggers, ...others];
  const tables = new Set(triggers.map((use) => use.split(' on ')[1]));
  return [`triggers of ${tables.size} tables`, ...others];
}

function usesIn(statement: string, call: RegExp): string[] {
  const [, trigger, table] = /^CREATE TRIGGER (\w+)[^]*? ON ([\w.]+)/.exec(statement) ?? [];
  if (trigger) return [`trigger ${trigger} on ${table}`];
  const [, view] = /^CREATE VIEW ([\w.]+)/.exec(statement) ?? [];
  if (view) return [`view ${view}`];
  const [, of] = /^CREATE (?:UNLOGGED )?TABLE ([\w.]+)/.exec(statement) ?? [];
  if (!of) return [];
  return statement
    .split(/,\n(?= {2}(?! ))/)
    .filter((line) => call.test(line))
    .map((line) => {
      const [, check] = /CONSTRAINT (\w+) CHECK/.exec(line) ?? [];
      return check
        ? `CHECK ${check} on ${of}`
        : `column ${/^\s*(?:\w+ \([^\n]*\n)?\s*(\w+) /m.exec(line)?.[1]} of ${of}`;
    });
}

/** The statements of the page, each in one text; those of partitions stand in its comments. */
function statementsOf(page: string): string[] {
  return page
    .replaceAll(/^--.*\n/gm, '')
    .replaceAll(/^ +--.*\n/gm, '')
    .split(/;\n/)
    .map((text) => text.trim());
}

const withoutComments = (sql: string) => sql.replaceAll(/--.*$/gm, '');

/** The texts in quotes of each store. No other layer has statements (`npm run arch`). */
function stringsOfStores(root: string): { path: string; strings: string[] }[] {
  return readdirSync(join(root, 'src/stores'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => `src/stores/${name}`)
    .map((path) => ({ path, strings: stringsOf(readFileSync(join(root, path), 'utf8')) }));
}

function stringsOf(source: string): string[] {
  const strings: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      strings.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, false));
  return strings;
}
