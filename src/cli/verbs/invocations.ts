import type { Command } from 'commander';
import { addList, addShow } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { SHOWS } from '../rows/shows';

/** `market invocations …`: your calls, as a buyer. */
export function invocationVerbs(program: Command): void {
  const invocations = program.command('invocations').description('lists and shows your calls');
  addList(invocations, 'list', LISTS['invocations list']);
  addShow(invocations, 'show', SHOWS['invocations show']);
  addShow(invocations, 'receipt', SHOWS['invocations receipt']);
}
