import type { Schema } from '../api-schema';
import type { ListRow } from '../row-verbs';

const list = <T>(row: ListRow<T>) => row;
const signed = (credits: number) => (credits > 0 ? `+${credits}` : credits);
const money = (minor: number) => (minor / 100).toFixed(2);

/** The lists of what an account pays and is billed, by the words behind `market`. */
export const MONEY_LISTS = {
  'budgets list': list<Schema<'Budget'>>({
    about: 'lists your budgets, newest first',
    examples: ['market budgets list'],
    path: '/v1/billing/budgets',
    columns: {
      budget: 'budget_id',
      for: ({ tag }) => tag ?? 'all calls',
      credits: 'credits',
      window: 'window',
      used: 'used_credits',
      left: 'left_credits',
      'begins anew': 'window_ends_at',
    },
  }),
  'payment-methods list': list<Schema<'SavedPaymentMethod'>>({
    about: 'lists your saved payment methods, newest first',
    examples: ['market payment-methods list'],
    path: '/v1/billing/payment-methods',
    columns: {
      method: 'method_id',
      name: 'label',
      currency: 'currency',
      provider: 'provider',
      saved: 'created_at',
    },
  }),
  'invoices list': list<Schema<'Invoice'>>({
    about: 'lists your invoices, newest first',
    examples: ['market invoices list'],
    isDefault: true,
    path: '/v1/billing/invoices',
    columns: {
      invoice: 'invoice_id',
      number: 'number',
      credits: 'credits',
      amount: ({ amount_minor, currency }) => `${money(amount_minor)} ${currency}`,
      tax: ({ tax_minor: tax = 0 }) => money(tax),
      status: 'status',
      issued: 'issued_at',
    },
  }),
  'invoices notes': list<Schema<'InvoiceNote'>>({
    about: 'lists the credit and debit notes of your invoices, newest first',
    examples: ['market invoices notes'],
    path: '/v1/billing/invoice-notes',
    columns: {
      note: 'note_id',
      number: 'number',
      of: 'invoice_number',
      reason: 'reason',
      amount: ({ amount_minor, currency }) => `${money(amount_minor)} ${currency}`,
      tax: ({ tax_minor: tax = 0 }) => money(tax),
      issued: 'issued_at',
    },
  }),
  // Entries of the earnings and the bond name their account; entries of the wallet do not.
  'ledger list': list<Schema<'LedgerItem'> | Schema<'DeveloperTransaction'>>({
    about: 'lists each credit and debit of your wallet, newest first',
    examples: ['market ledger', 'market ledger list --earnings --limit 50'],
    flags: [
      ['--earnings', 'entries of your earnings and your bond instead, for developers'],
      ['--type <type>', 'only entries of this type, such as topup or charge'],
      ['--since <time>', 'only entries from this time on, such as 2026-11-02T00:00:00Z'],
    ],
    isDefault: true,
    path: ({ earnings }) => (earnings ? '/v1/billing/developer/transactions' : '/v1/billing/ledger'),
    filter: { since: 'since', type: 'entry_type' },
    columns: {
      at: 'created_at',
      account: (entry) => ('account' in entry ? entry.account : 'wallet'),
      type: 'entry_type',
      credits: ({ credits }) => signed(credits),
      'balance after': 'balance_after_credits',
      what: 'description',
    },
  }),
};
