import type { Command } from 'commander';
import { ApiFailure, type MarketApi } from './api-client';
import { defaultVerb, verb } from './command-line';
import { connect, connectPerson } from './connect';
import { fieldsText, listVerb, type PageOptions, withPages } from './terminal/pages';

/** The options of a verb by name. */
export type Flags = PageOptions & Partial<Record<string, string | boolean>>;

interface Row {
  about: string;
  /** A paragraph of the help before the examples. */
  note?: string;
  examples: readonly string[];
  /** The arguments with their descriptions. */
  args?: readonly (readonly [argument: string, description: string])[];
  flags?: readonly (readonly [flag: string, description: string])[];
  /** The path in the API; the arguments replace each `{}` in order. */
  path: string | ((flags: Flags) => string);
  /** The path for accounts to which the API forbids `path`, which are operators. */
  operatorPath?: string;
  /** Looks up the agent id of the first argument. Without it, the arguments are ids. */
  agent?: (api: MarketApi, agent: string, flags: Flags) => Promise<string>;
  /** Requires a login: an API key may not read this. */
  login?: true;
  /** The verb also runs when its group is called without a verb. */
  isDefault?: true;
  /** The verb works, but no help or page names it. */
  isHidden?: boolean;
}

/** Headings with the field of an item, or a function of the item. Absent values show as `-`, lists with blanks. */
type Columns<T> = Readonly<Record<string, (keyof T & string) | ((item: T) => unknown)>>;

/** A verb that prints one page of a list of the API as a table. */
export interface ListRow<T> extends Row {
  columns: Columns<T> | ((flags: Flags) => Columns<T>);
  /** The fields of the query by the flags that set them. */
  filter?: Readonly<Record<string, string>>;
}

/** A verb that prints one record of the API. */
export interface ShowRow<T> extends Row {
  /** The part of the record that is printed. Default: the record. */
  part?: (record: T) => object;
  /** The record as text. Default: one field per line. */
  text?: (record: T) => string;
}

/** Adds the verb of a row to its group. Returns the verb. */
export function addList<T>(group: Command, name: string, row: ListRow<T>): Command {
  return addFlags(withPages(commandOf(group, name, row)), row).action(
    verb((...given: unknown[]) => {
      const { api, flags, read } = requestOf(row, given);
      const columns = typeof row.columns === 'function' ? row.columns(flags) : row.columns;
      const filter = Object.fromEntries(
        Object.entries(row.filter ?? {}).map(([flag, field]) => [field, flags[flag]?.toString()]),
      );
      const toRow = (item: T) =>
        Object.values(columns).map((cell) => cellText(typeof cell === 'string' ? item[cell] : cell(item)));
      return read((path) =>
        listVerb<T>(api, path, flags, { head: Object.keys(columns), row: toRow, filter }),
      );
    }),
  );
}

/** Adds the verb of a row to its group. */
export function addShow<T extends object>(group: Command, name: string, row: ShowRow<T>): void {
  addFlags(commandOf(group, name, row), row).action(
    verb(async (...given: unknown[]) => {
      const { api, read } = requestOf(row, given);
      const record = await read((path) => api.call<T>('GET', path));
      const shown = row.part ? row.part(record) : record;
      return { text: row.text ? row.text(record) : fieldsText(shown), json: shown };
    }),
  );
}

function commandOf(
  group: Command,
  name: string,
  { args = [], isDefault, isHidden = false, about }: Row,
): Command {
  const command = isDefault ? defaultVerb(group, name) : group.command(name, { hidden: isHidden });
  for (const [argument, description] of args) command.argument(argument, description);
  return command.description(about);
}

function addFlags(command: Command, { flags = [], note, examples }: Row): Command {
  for (const [flag, description] of flags) command.option(flag, description);
  const title = examples.length > 1 ? 'Examples' : 'Example';
  return command.addHelpText('after', `\n${note ? `${note}\n\n` : ''}${title}:\n  ${examples.join('\n  ')}`);
}

/** The API client, the flags and the reader of a verb, from the arguments of its action. */
function requestOf(row: Row, given: readonly unknown[]) {
  const { args = [], login, agent, operatorPath } = row;
  const flags = (given[args.length + 1] as Command).optsWithGlobals<Flags>();
  const api = login ? connectPerson(flags) : connect(flags);
  const [first = '', ...rest] = given.slice(0, args.length) as string[];
  async function read<R>(run: (path: string) => Promise<R>): Promise<R> {
    const ids = [agent ? await agent(api, first, flags) : first, ...rest];
    const path = withIds(typeof row.path === 'string' ? row.path : row.path(flags), ids);
    if (operatorPath === undefined) return run(path);
    return run(path).catch((error: unknown) => {
      if (error instanceof ApiFailure && error.code === 'forbidden') return run(withIds(operatorPath, ids));
      throw error;
    });
  }
  return { api, flags, read };
}

function withIds(path: string, ids: readonly string[]): string {
  let at = 0;
  return path.replace(/\{\}/g, () => encodeURIComponent(ids[at++] ?? ''));
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
