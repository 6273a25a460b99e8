-- A call is paid: top-up, hold, capture, roll-up.
--
-- Amounts are in units, 1/100 of a credit; a credit is worth USD 0.01. Mira buys, Devi publishes an agent.
\set mira usr_0000000000000000000000000000000a
\set devi usr_0000000000000000000000000000000d
\set call inv_019a0000000070008000000000000001

-- Each user has five accounts, which a trigger opens; the platform has five more.
INSERT INTO users (user_id, email, password_hash, display_name, role, developer_id) VALUES
  (:'mira', 'mira@example.test', '-', 'Mira', 'buyer', NULL),
  (:'devi', 'devi@example.test', '-', 'Devi', 'developer', 'dev_devi');
SELECT coalesce(u.display_name, 'platform') AS owner, string_agg(a.kind, ', ' ORDER BY a.account_id) AS accounts
FROM accounts a LEFT JOIN users u USING (user_id) GROUP BY 1 ORDER BY 1;

-- Mira pays USD 50 for 5,000 credits. The payment credits her wallet once, however often it is reported.
INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
VALUES ('top_00000000000000000000000000000001', :'mira', 5000, 'USD', 500000, 'sandbox');
SELECT outcome, amount_units, wallet_units FROM billing_complete_topups(ARRAY['top_00000000000000000000000000000001']);
SELECT outcome, amount_units, wallet_units FROM billing_complete_topups(ARRAY['top_00000000000000000000000000000001']);

-- A call at 1,500 credits. Its price moves from the wallet into escrow, and its hold is open.
SELECT outcome, amount_units, wallet_units
FROM ledger_hold(ARRAY[:'call'], ARRAY[:'mira'], ARRAY[:'devi'], ARRAY['agt_csv_v1'], ARRAY['agv_1'],
  ARRAY[150000::bigint], ARRAY[now() + interval '30 seconds'], ARRAY['trace-1']);
SELECT state, amount_units, captured_units, resolved_at IS NOT NULL AS ended FROM holds WHERE invocation_id = :'call';

-- Nobody can spend what is in escrow: a call at 4,000 credits is more than what is left.
SELECT outcome, wallet_units
FROM ledger_hold(ARRAY['inv_019a0000000070008000000000000009'], ARRAY[:'mira'], ARRAY[:'devi'], ARRAY['agt_csv_v1'],
  ARRAY['agv_1'], ARRAY[400000::bigint], ARRAY[now() + interval '30 seconds'], ARRAY['trace-2']);

-- The agent answers. The capture gives Devi 97% and the platform 3%. A second capture changes nothing.
SELECT outcome, amount_units FROM ledger_capture(ARRAY[:'call'], ARRAY[150000::bigint], ARRAY[now() + interval '7 days']);
SELECT outcome, amount_units FROM ledger_capture(ARRAY[:'call'], ARRAY[150000::bigint], ARRAY[now() + interval '7 days']);
SELECT state, captured_units FROM holds WHERE invocation_id = :'call';
SELECT gross_units, fee_units, net_units, recovered_units, payout_id FROM earnings WHERE invocation_id = :'call';

-- Every movement is a transaction whose entries sum to zero. Accounts that many calls credit at once are not locked, so
-- their entries carry no balance.
SELECT t.kind, a.kind AS account, e.amount_units, e.balance_after_units
FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
WHERE t.invocation_id = :'call' ORDER BY e.entry_id;

-- What these accounts have received waits as one row, and the view of balances counts it already.
SELECT a.kind, p.amount_units, p.fee_units FROM pending_rollups p JOIN accounts a USING (account_id);
SELECT b.kind, a.balance_units AS stored, b.balance_units AS balance
FROM account_balances b JOIN accounts a USING (account_id) WHERE b.kind IN ('payable', 'fees') ORDER BY 1;

-- The roll-up adds it to the stored balances. Nothing that a reader sees changes.
SELECT ledger_roll_up(100);
SELECT b.kind, a.balance_units AS stored, b.balance_units AS balance
FROM account_balances b JOIN accounts a USING (account_id) WHERE b.kind IN ('payable', 'fees') ORDER BY 1;
