import type { Command } from 'commander';
import { groupOf } from '../command-line';
import { addList } from '../row-verbs';
import { MONEY_LISTS } from '../rows/money-lists';

/** `market ledger list`: the entries of your own accounts. */
export function ledgerEntryVerbs(program: Command): void {
  const ledger = groupOf(program, 'ledger').description(
    'lists each credit and debit of yours; operators check, trace and archive the ledger',
  );
  addList(ledger, 'list', MONEY_LISTS['ledger list']);
}
