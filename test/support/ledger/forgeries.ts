/**
 * Edits that an attacker with all rights can make without the ledger's triggers, and what `checkLedger` reports for
 * each.
 */
export const WALLET = `(SELECT a.account_id FROM accounts a JOIN users u USING (user_id) WHERE u.role = 'buyer' AND a.kind = 'wallet')`;
const CHARGE = `(SELECT transaction_id FROM transactions WHERE kind = 'invocation_charge' ORDER BY transaction_id LIMIT 1)`;
const CHARGED = `(SELECT invocation_id FROM holds WHERE state = 'captured' ORDER BY invocation_id LIMIT 1)`;
const NEW_TXN = `'txn_' || repeat('a', 32)`;

/** what was done, the edit, the proofs that must fail, and what a problem must name */
export const FORGERIES: [what: string, sql: string, proofs: string[], names: RegExp][] = [
  [
    'a balance is raised',
    `UPDATE accounts SET balance_units = balance_units + 100 WHERE account_id = ${WALLET}`,
    ['balances'],
    /account \d+ \(wallet of usr_\w+\): holds \d+, its entries sum to \d+/,
  ],
  [
    'a roll-up is slipped in',
    `INSERT INTO pending_rollups (account_id, amount_units) VALUES (4, 77)`,
    ['balances'],
    /account 4 \(fees\): holds/,
  ],
  [
    'a waiting roll-up is lost',
    `DELETE FROM pending_rollups WHERE account_id <> 4`,
    ['balances', 'payable', 'earning days'],
    /\(payable of usr_/,
  ],
  [
    'a roll-up waits for an account that takes none',
    `INSERT INTO pending_rollups (account_id, amount_units) VALUES (${WALLET}, 5)`,
    ['entries'],
    /pending roll-up of 5 units: account \d+ takes no roll-ups/,
  ],
  [
    'the sum of a day of lots is raised',
    `UPDATE earning_days SET open_units = open_units + 100, earned_units = earned_units + 100;
     INSERT INTO earning_deltas (developer_user_id, matures_on, lots, open_units, disputed_units, earned_units)
     SELECT user_id, '2020-01-01', 1, 100, 0, 100 FROM users WHERE role = 'developer' LIMIT 1`,
    ['earning days'],
    /usr_\w{32} 2020-01-01: the day says \(1,100,0,100\) \(lots, open, disputed, earned\), its lots say \(0,0,0,0\)/,
  ],
  [
    'the total of a developer is raised',
    `INSERT INTO earning_totals VALUES ('usr_nobody', 100, 0, 100)`,
    ['earning days'],
    /usr_nobody: the total says \(100,0,100\) \(open, disputed, earned\)/,
  ],
  [
    'an entry is changed',
    `ALTER TABLE entries DROP CONSTRAINT entries_chain; UPDATE entries SET amount_units = amount_units - 100 WHERE transaction_id = ${CHARGE} AND entry_type = 'invocation_charge'`,
    ['transactions', 'balances', 'chains', 'calls'],
    /txn_\w{32}: 5 entries sum to -100/,
  ],
  [
    'an entry is changed on both sides and the balances with it',
    `UPDATE entries SET amount_units = amount_units - 10 WHERE transaction_id = ${CHARGE} AND entry_type = 'platform_fee';
     UPDATE entries SET amount_units = amount_units + 10 WHERE transaction_id = ${CHARGE} AND entry_type = 'invocation_earning';
     UPDATE accounts SET balance_units = balance_units - 10 WHERE account_id = 4;
     UPDATE accounts SET balance_units = balance_units + 10 WHERE kind = 'payable' AND version > 0`,
    ['calls', 'payable'],
    /invocation\/inv_\w+\/capture: fees moved 50, the hold says 60/,
  ],
  [
    'an entry is removed',
    `DELETE FROM entries WHERE transaction_id = ${CHARGE} AND line = 5`,
    ['transactions', 'balances', 'calls'],
    /4 entries sum to/,
  ],
  [
    'a transaction is removed with its entries',
    `DELETE FROM entries WHERE transaction_id = ${CHARGE}; DELETE FROM transactions WHERE transaction_id = ${CHARGE}`,
    ['balances', 'chains', 'calls'],
    /invocation\/inv_\w+\/capture: payable of usr_\w+ moved 0, the hold says 1940/,
  ],
  [
    'the entries of no transaction appear',
    `DELETE FROM transactions WHERE transaction_id = ${CHARGE}`,
    ['entries', 'calls'],
    /line 1: its transaction is missing/,
  ],
  [
    'an account vanishes',
    `DELETE FROM accounts WHERE account_id = ${WALLET}`,
    ['entries', 'calls', 'clawbacks', 'top-ups'],
    /account \d+ is missing/,
  ],
  [
    'the owner of an account vanishes',
    `UPDATE accounts SET user_id = 'usr_nobody' WHERE account_id = (SELECT account_id FROM accounts WHERE kind = 'slash_hold' LIMIT 1)`,
    ['entries'],
    /slash_hold of usr_nobody\): its user is missing/,
  ],
  [
    'a transaction names other entries',
    `UPDATE transactions SET last_entry_id = first_entry_id WHERE transaction_id = ${CHARGE}`,
    ['transactions'],
    /names entries \d+ to \d+ of the accounts \{[\d,]+\}, has entry \d+ of account \d+/,
  ],
  [
    'the hold of a call names another transaction',
    `UPDATE holds SET end_transaction_id = hold_transaction_id WHERE invocation_id = ${CHARGED}`,
    ['calls'],
    /capture: is transaction txn_\w+, the hold names txn_\w+/,
  ],
  [
    'a link of the chain is rewritten',
    `ALTER TABLE entries DROP CONSTRAINT entries_chain; UPDATE entries SET balance_before_units = 1, balance_after_units = 1 + amount_units WHERE account_id = ${WALLET} AND account_version = 2`,
    ['chains'],
    /account \d+ entry 2 has version 2, runs from 1/,
  ],
  [
    'a version is skipped',
    `UPDATE accounts SET version = version + 1 WHERE account_id = ${WALLET}`,
    ['chains'],
    /is at version \d+ with \d+ entries/,
  ],
  [
    'a wallet is below zero',
    `ALTER TABLE accounts DROP CONSTRAINT accounts_not_negative; UPDATE accounts SET balance_units = -5 WHERE account_id = ${WALLET}`,
    ['balances', 'not negative'],
    /\(wallet of usr_\w+\): holds -5/,
  ],
  [
    'a hold is closed without moving its money',
    `UPDATE holds SET state = 'voided', resolved_at = now() WHERE state = 'open'`,
    ['escrow', 'calls'],
    /\(escrow of usr_\w+\): holds 1000, open holds sum to 0/,
  ],
  [
    'a charge is raised on the hold',
    `UPDATE holds SET captured_units = captured_units + 100 WHERE captured_units < amount_units`,
    ['calls', 'lots'],
    /charged 2100, the lot says 2000 = 1940 \+ 60/,
  ],
  [
    'a resolved hold is opened again',
    `UPDATE holds SET state = 'open', captured_units = NULL, resolved_at = NULL WHERE invocation_id = ${CHARGED}`,
    ['escrow', 'calls', 'lots'],
    /a lot without a charge/,
  ],
  [
    'a refunded call is shown as charged',
    `UPDATE holds SET state = 'captured', captured_units = 500 WHERE state = 'voided'`,
    ['calls', 'lots'],
    /charged 500 and made no lot/,
  ],
  [
    'the split of a lot is changed',
    `ALTER TABLE earnings DROP CONSTRAINT earnings_split; UPDATE earnings SET net_units = net_units + 10, fee_units = fee_units - 10 WHERE invocation_id = ${CHARGED}`,
    ['lots', 'payable', 'earning days'],
    /the lot says 2000 = 1950 \+ 50/,
  ],
  [
    'a lot goes to another developer',
    `UPDATE earnings SET developer_user_id = (SELECT user_id FROM users WHERE role = 'buyer') WHERE invocation_id = ${CHARGED}`,
    ['lots', 'payable', 'earning days'],
    /charged 2000, the lot says/,
  ],
  [
    'a lot is marked as paid without a payout',
    `UPDATE earnings SET payout_id = 'pay_1' WHERE invocation_id = ${CHARGED}`,
    ['payable', 'earning days', 'payouts'],
    /\(payable of usr_\w+\): holds \d+, its lots sum to \d+/,
  ],
  [
    'a lot is marked as taken back without a clawback',
    `UPDATE earnings SET clawed_back_at = now(), recovered_units = net_units WHERE invocation_id = ${CHARGED}`,
    ['payable', 'clawbacks', 'earning days'],
    /clawback: usr_\w+ moved 0, the lot says 2000/,
  ],
  [
    'a lot is marked as returned in part without a clawback',
    `UPDATE earnings SET returned_units = 100, returned_fee_units = 3, returned_net_units = 97 WHERE invocation_id = ${CHARGED}`,
    ['clawbacks', 'earning days'],
    /clawback: usr_\w+ moved 0, the lot says 100/,
  ],
  [
    'a debt is invented',
    `INSERT INTO clawback_debts SELECT invocation_id, developer_user_id, 5 FROM earnings WHERE invocation_id = ${CHARGED}`,
    ['clawbacks'],
    /platform moved 0, the lot says -5/,
  ],
  [
    'money is minted with a transaction of its own',
    `INSERT INTO transactions (transaction_id, kind, reference, description) VALUES (${NEW_TXN}, 'topup', 'topup/top_' || repeat('b', 32), '');
     INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units) VALUES (${NEW_TXN}, 1, 1, 'topup', -900);
     INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, balance_before_units, balance_after_units, account_version)
       SELECT ${NEW_TXN}, 2, account_id, 'topup', 900, balance_units, balance_units + 900, version + 1 FROM accounts WHERE account_id = ${WALLET};
     UPDATE accounts SET balance_units = balance_units + 900, version = version + 1 WHERE account_id = ${WALLET};
     UPDATE accounts SET balance_units = balance_units - 900 WHERE account_id = 1`,
    ['top-ups'],
    /top_b{32}: credited 900 to usr_\w+, paid for 0 by nobody/,
  ],
  [
    'a transaction has a reference of no kind',
    `UPDATE transactions SET reference = 'gift/1' WHERE transaction_id = ${CHARGE}`,
    ['calls', 'reasons'],
    /invocation_charge with reference gift\/1/,
  ],
  [
    'a top-up says another amount',
    `UPDATE topups SET amount_units = amount_units + 1`,
    ['top-ups'],
    /its invoice is missing or says otherwise/,
  ],
  [
    'an invoice is removed',
    `DELETE FROM invoices WHERE series_no = 1`,
    ['top-ups', 'invoices'],
    /series SBX-\d{4}: 1 invoices up to number 2/,
  ],
  [
    'a credit note takes back more than its invoice has',
    `INSERT INTO payment_reversals (reversal_id, provider, kind, payment_id, amount_minor, currency, state)
       VALUES ('rfnd_forged', 'razorpay', 'refund', 'pay_forged', 1, 'INR', 'closed');
     INSERT INTO invoice_series (series, last_number) VALUES ('CRN-2026', 1);
     INSERT INTO invoice_notes (note_id, kind, number, series, series_no, invoice_id, reversal_id, user_id, amount_minor, tax_minor, amount_units)
       SELECT 'nte_' || repeat('c', 32), 'credit', 'CRN-2026-000001', 'CRN-2026', 1, invoice_id, 'rfnd_forged', user_id, amount_minor + 1, 1, 5
         FROM invoices ORDER BY invoice_id LIMIT 1`,
    ['invoices'],
    /its notes take back \d+ with a tax of 1, it has \d+ with a tax of 0/,
  ],
  [
    'the fee was taken and is forgotten',
    `UPDATE users SET registration_paid_at = NULL`,
    ['reasons'],
    /registration\/usr_\w+ moved 100000 to the platform/,
  ],
  [
    'money is stuck in clearing',
    `INSERT INTO pending_rollups (account_id, amount_units) VALUES (2, 10)`,
    ['balances', 'clearing'],
    /\(topup_clearing\): holds 10/,
  ],
];
