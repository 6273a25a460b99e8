import { ACCOUNT, type LedgerProof } from './ledger-proof';

/**
 * Compares the daily digests (docs/ledger.md, "Digests") with the current entries, day by day; each day is a range of
 * the primary keys. The signatures are checked outside of SQL: src/services/ledger/ledger-seals.ts.
 */
export const digestsMatchEntries: LedgerProof = {
  name: 'digests',
  window: 'all',
  promise: 'the entries of each sealed day are those that were sealed, and the days are a chain without gaps',
  sql: `
    WITH chain AS (
      SELECT d.*, digest_terms(d) AS terms, lag(d.day) OVER w AS day_before, lag(d.digest_sha256) OVER w AS left_at
      FROM ledger_digests d WINDOW w AS (ORDER BY d.day)
    )
    SELECT 'day ' || to_char(c.day, 'YYYY-MM-DD') AS subject, p.problem
    FROM chain c
    CROSS JOIN LATERAL digest_between(digest_first_id(c.day), digest_first_id(c.day + 1), sha256('')) now_there
    CROSS JOIN LATERAL (VALUES
      (CASE WHEN (now_there.transactions, now_there.entries, now_there.debits_units, now_there.credits_units,
                  encode(now_there.folded, 'hex'))
          IS DISTINCT FROM (c.transactions, c.entries, c.debits_units, c.credits_units, c.entries_sha256)
        THEN 'was sealed with ' || c.transactions || ' transactions, ' || c.entries || ' entries, credits of '
          || c.credits_units || ', hash ' || left(c.entries_sha256, 12) || '; now there are ' || now_there.transactions
          || ', ' || now_there.entries || ', ' || now_there.credits_units || ', '
          || left(encode(now_there.folded, 'hex'), 12) END),
      (CASE WHEN encode(sha256(convert_to(c.terms, 'UTF8')), 'hex') <> c.digest_sha256
        THEN 'its digest is not of what it says' END),
      (CASE WHEN c.previous_sha256 <> coalesce(c.left_at, repeat('0', 64))
        THEN 'its digest does not continue that of the day before' END),
      (CASE WHEN c.day_before <> c.day - 1
        THEN 'days since ' || to_char(c.day_before + 1, 'YYYY-MM-DD') || ' have no digest' END)) p (problem)
    WHERE p.problem IS NOT NULL AND c.day >= (SELECT first_day FROM scope)
    UNION ALL
    SELECT 'day ' || to_char(digest_next_day(now() - interval '1 day'), 'YYYY-MM-DD'),
           'ended more than a day ago and has no digest; does a worker run?'
    WHERE digest_next_day(now() - interval '1 day') IS NOT NULL
    UNION ALL
    SELECT t.transaction_id, 'has the id of a day before the first digest' FROM transactions t
    WHERE t.transaction_id < (SELECT digest_first_id(min(d.day)) FROM ledger_digests d)
    UNION ALL
    SELECT t.transaction_id, 'has the id of a day to come' FROM transactions t
    WHERE t.transaction_id >= (SELECT digest_first_id(greatest(max(d.day), (now() AT TIME ZONE 'UTC')::date) + 2)
                               FROM ledger_digests d HAVING count(*) > 0)`,
};

/** Compares the balances of the market log (docs/proof-of-liabilities.md) with the entries that it has read. */
export const marketLogMatchesEntries: LedgerProof = {
  name: 'market log',
  promise: 'the market log says what the entries of its days say, and its days are a chain without gaps',
  sql: `
    SELECT ${ACCOUNT} AS subject, 'the market log has ' || coalesce(b.units, 0) || ' units, its entries '
           || coalesce(e.units, 0) AS problem
    FROM accounts a
    LEFT JOIN market_log_balances b USING (account_id)
    LEFT JOIN (SELECT account_id, sum(amount_units) AS units FROM entries
               WHERE transaction_id < (SELECT read_to FROM market_log_work) GROUP BY account_id) e USING (account_id)
    WHERE coalesce(b.units, 0) <> coalesce(e.units, 0)
    UNION ALL
    SELECT 'day ' || to_char(d.day, 'YYYY-MM-DD'), 'its statement does not continue that of the day before'
    FROM (SELECT day, previous_sha256, lag(day) OVER w AS day_before, lag(statement_sha256) OVER w AS left_at
            FROM market_log_days WINDOW w AS (ORDER BY day)) d
    WHERE d.previous_sha256 <> coalesce(d.left_at, repeat('0', 64)) OR d.day_before <> d.day - 1`,
};
