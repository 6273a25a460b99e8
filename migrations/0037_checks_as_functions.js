/**
 * The CHECKs of the tables that every call writes are one call of a function each (ADR 0182). Postgres parses the text of each
 * CHECK again for every statement that writes the table: 50 kB for a paid call before, 11 kB now. The rules are the same. Rows of
 * before were checked by the old text, so they are not read again (NOT VALID).
 */
const INVOCATION_ID = `invocation_id ~ '^inv_[0-9a-f]{32}$'`;

/** Of each table: its one CHECK from now on, and those of before. */
const TABLES = {
  accounts: {
    check: ['accounts_not_negative', 'ledger_check_account(kind, balance_units)'],
    before: { accounts_not_negative: `balance_units >= 0 OR kind IN ('cash', 'platform')` },
  },
  transactions: {
    check: ['transactions_kind_check', 'ledger_check_transaction(kind)'],
    before: {
      transactions_kind_check: `kind IN
        ('topup', 'topup_reversal', 'registration_fee', 'invocation_hold', 'invocation_charge', 'invocation_refund',
         'dispute_refund', 'bond_deposit', 'bond_release', 'slash', 'slash_return', 'slash_refund', 'payout')`,
    },
  },
  entries: {
    check: [
      'entries_chain',
      'ledger_check_entry(amount_units, balance_before_units, balance_after_units, account_version)',
    ],
    before: {
      entries_amount_units_check: 'amount_units <> 0',
      entries_chain: `num_nulls(balance_before_units, balance_after_units, account_version) IN (0, 3)
        AND balance_after_units = balance_before_units + amount_units
        AND balance_before_units >= 0 AND balance_after_units >= 0`,
    },
  },
  holds: {
    check: [
      'holds_rules',
      'ledger_check_hold(invocation_id, amount_units, state, captured_units, resolved_at)',
    ],
    before: {
      holds_invocation_id_check: INVOCATION_ID,
      holds_state: `state IN ('open', 'captured', 'voided', 'disputed')`,
      holds_whole_credits: 'amount_units >= 0 AND amount_units % 100 = 0',
      holds_one_resolution: `(state = 'open') = (resolved_at IS NULL)`,
      holds_capture: `(state = 'captured') = (captured_units IS NOT NULL)
        AND captured_units BETWEEN 0 AND amount_units AND captured_units % 100 = 0`,
    },
  },
  earnings: {
    check: [
      'earnings_split',
      'ledger_check_lot(gross_units, net_units, fee_units, fee_percent, recovered_units)',
    ],
    before: {
      earnings_split: `gross_units > 0 AND gross_units = net_units + fee_units
        AND fee_units * 100 = gross_units * fee_percent`,
      earnings_recovered: 'recovered_units BETWEEN 0 AND net_units',
    },
  },
  invocations: {
    check: [
      'invocations_rules',
      `invocation_check(invocation_id, surface, status, price_units, free, free_month, idempotency_key, input_bytes,
        output_bytes, truncated_by, charged_units, settled_at)`,
    ],
    before: {
      invocations_invocation_id_check: INVOCATION_ID,
      invocations_surface_check: `surface IN ('invoke', 'chat', 'use', 'mcp', 'a2a')`,
      invocations_status_check: `status IN ('pending', 'running', 'succeeded', 'failed', 'disputed')`,
      invocations_price_units_check: 'price_units >= 0',
      invocations_idempotency_key_check: 'length(idempotency_key) <= 400',
      invocations_input_bytes_check: 'input_bytes >= 0',
      invocations_output_bytes_check: 'output_bytes >= 0',
      invocations_truncated_by_check: `truncated_by IN ('ceiling', 'client_closed')`,
      invocations_check: `status NOT IN ('succeeded', 'failed', 'disputed') OR settled_at IS NOT NULL`,
      invocations_check1: `status <> 'succeeded' OR charged_units IS NOT NULL`,
      invocations_check2: 'free = (free_month IS NOT NULL)',
    },
  },
};

/** A month is moved to the archive with its CHECKs, so both tables have the same. */
const tables = Object.entries(TABLES).flatMap(([name, checks]) =>
  name === 'accounts' ? [[name, checks]] : [name, `archive.${name}`].map((table) => [table, checks]),
);

exports.up = (knex) =>
  knex.raw(
    tables
      .map(
        ([
          table,
          {
            check: [name, call],
            before,
          },
        ]) => {
          const drops = Object.keys(before).map((each) => `DROP CONSTRAINT ${each}`);
          return `ALTER TABLE ${table} ${drops.join(', ')};
        ALTER TABLE ${table} ADD CONSTRAINT ${name} CHECK (${call}) NOT VALID;`;
        },
      )
      .join('\n'),
  );

// Taking everything down drops all functions first, and the CHECKs that call them.
exports.down = (knex) =>
  knex.raw(
    tables
      .map(
        ([
          table,
          {
            check: [name],
            before,
          },
        ]) => {
          const adds = Object.entries(before).map(
            ([each, rule]) => `ADD CONSTRAINT ${each} CHECK (${rule}) NOT VALID`,
          );
          return `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name};
        ALTER TABLE ${table} ${adds.join(', ')};`;
        },
      )
      .join('\n'),
  );
