import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { defaultVerb, groupOf, verb } from '../command-line';
import { connect } from '../connect';
import { listVerb, type PageOptions, withPages } from '../terminal/pages';

/** Entries of the earnings and the bond name their account; entries of the wallet do not. */
type Entry = Schema<'LedgerItem'> | Schema<'DeveloperTransaction'>;

interface EntryOptions extends PageOptions {
  since?: string;
  type?: string;
  earnings?: boolean;
}

/** `market ledger list`: the entries of your own accounts. */
export function ledgerEntryVerbs(program: Command): void {
  const ledger = groupOf(program, 'ledger').description(
    'lists each credit and debit of yours; operators check, trace and archive the ledger',
  );
  withPages(defaultVerb(ledger, 'list'))
    .description('lists each credit and debit of your wallet, newest first')
    .option('--earnings', 'entries of your earnings and your bond instead, for developers')
    .option('--type <type>', 'only entries of this type, such as topup or charge')
    .option('--since <time>', 'only entries from this time on, such as 2026-11-02T00:00:00Z')
    .addHelpText('after', '\nExamples:\n  market ledger\n  market ledger list --earnings --limit 50')
    .action(
      verb((_options, command: Command) => {
        const options = command.optsWithGlobals<EntryOptions>();
        const path = options.earnings ? '/v1/billing/developer/transactions' : '/v1/billing/ledger';
        return listVerb<Entry>(connect(options), path, options, {
          head: ['at', 'account', 'type', 'credits', 'balance after', 'what'],
          row: (entry) => [
            entry.created_at,
            'account' in entry ? entry.account : 'wallet',
            entry.entry_type,
            entry.credits > 0 ? `+${entry.credits}` : String(entry.credits),
            String(entry.balance_after_credits),
            entry.description,
          ],
          filter: { since: options.since, entry_type: options.type },
        });
      }),
    );
}
