-- A Monday pays a developer (continues 3-slash.sql): the lots that matured, less what was taken back.
\set devi usr_0000000000000000000000000000000d
\set monday '2035-01-01 00:00:00+00'

-- Three calls have made three lots. The refund of the dispute used up the second.
SELECT right(invocation_id, 1) AS call, net_units, recovered_units, payout_id FROM earnings
WHERE developer_user_id = :'devi' ORDER BY invocation_id;
SELECT minimum_units, currency, channel FROM payout_rails WHERE method = 'ach';

-- Without a payout method, what is payable rolls over to the next Monday.
SELECT status, reason, amount_units FROM payout_reserve(:'devi', :'monday', 0, 1000000000, ARRAY['ach'], 'trace-7');

-- With one, a later attempt reserves it: the lots move into the payout, and out of payable.
INSERT INTO payout_methods (method_id, developer_user_id, method, sealed, masked)
VALUES ('pmt_00000000000000000000000000000001', :'devi', 'ach', '', '{}');
SELECT status, lots, amount_units, amount_minor, currency, remainder_units
FROM payout_reserve(:'devi', :'monday', 1, 1000000000, ARRAY['ach'], 'trace-8');
SELECT status, lots, amount_units, amount_minor, currency, remainder_units
FROM payout_reserve(:'devi', :'monday', 1, 1000000000, ARRAY['ach'], 'trace-8');
SELECT kind, balance_units FROM account_balances
WHERE user_id = :'devi' AND kind = 'payable' OR kind IN ('payout_clearing', 'cash') ORDER BY 1;

-- The file for the bank has the payout, and the bank pays it.
SELECT payout_file_write('ach-20350101-1', 'ach', :'monday', 1, 'payouts.ach',
  (SELECT array_agg(payout_id) FROM payouts WHERE status = 'pending'),
  (SELECT sum(amount_minor)::bigint FROM payouts WHERE status = 'pending'), 'USD', repeat('0', 64), '');
SELECT payout_settle((SELECT array_agg(payout_id) FROM payouts WHERE status = 'processing'), true, NULL, now()) AS ended;
SELECT attempt, status, amount_minor, currency FROM payouts ORDER BY attempt;
SELECT kind, balance_units FROM account_balances
WHERE user_id = :'devi' AND kind = 'payable' OR kind IN ('payout_clearing', 'cash') ORDER BY 1;

-- At the end as at every moment: all that was ever written sums to zero, and each account holds the sum of its entries.
SELECT sum(amount_units) AS all_entries FROM entries;
SELECT count(*) AS accounts_that_differ FROM account_balances b
WHERE b.balance_units <> coalesce((SELECT sum(e.amount_units) FROM entries e WHERE e.account_id = b.account_id), 0);
