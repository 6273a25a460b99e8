/**
 * A transaction names the accounts and the range of ids of its entries (ADR 0161), so that ledger_lines finds them by the
 * index of their accounts, and an entry has one B-tree index in place of two. Ranges of transactions, such as a day, are found by
 * an index of block ranges: entries are written in the order of their transactions. Transactions of earlier releases name no
 * accounts; their entries are found by that index too.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE transactions ADD COLUMN account_ids bigint[], ADD COLUMN first_entry_id bigint, ADD COLUMN last_entry_id bigint;
  ALTER TABLE archive.transactions ADD COLUMN account_ids bigint[], ADD COLUMN first_entry_id bigint,
    ADD COLUMN last_entry_id bigint;
  COMMENT ON COLUMN transactions.account_ids IS 'The account of each of its entries; null in transactions of earlier releases';
  CREATE OR REPLACE VIEW all_transactions AS SELECT * FROM transactions UNION ALL SELECT * FROM archive.transactions;
  ALTER TABLE entries DROP CONSTRAINT entries_pkey;
  ALTER TABLE archive.entries DROP CONSTRAINT entries_pkey;
  CREATE INDEX entries_transaction ON entries USING brin (transaction_id) WITH (pages_per_range = 32, autosummarize = on);
  CREATE INDEX entries_transaction ON archive.entries USING brin (transaction_id) WITH (pages_per_range = 32);
`);

exports.down = (knex) =>
  knex.raw(`
  DROP INDEX archive.entries_transaction;
  DROP INDEX entries_transaction;
  ALTER TABLE archive.entries ADD PRIMARY KEY (transaction_id, line);
  ALTER TABLE entries ADD PRIMARY KEY (transaction_id, line);
  DROP VIEW all_transactions;
  ALTER TABLE archive.transactions DROP COLUMN account_ids, DROP COLUMN first_entry_id, DROP COLUMN last_entry_id;
  ALTER TABLE transactions DROP COLUMN account_ids, DROP COLUMN first_entry_id, DROP COLUMN last_entry_id;
  CREATE VIEW all_transactions AS SELECT * FROM transactions UNION ALL SELECT * FROM archive.transactions;
  GRANT SELECT ON all_transactions TO market_app;
`);
