-- A bond is slashed (continues 2-dispute.sql): the amount waits, then goes to the buyer of the call.
\set mira usr_0000000000000000000000000000000a
\set devi usr_0000000000000000000000000000000d
\set omar usr_0000000000000000000000000000000f
\set call inv_019a0000000070008000000000000003
\set slash slh_00000000000000000000000000000001

-- Devi deposits 600 credits, which is enough for the tier basic.
INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
VALUES ('top_00000000000000000000000000000002', :'devi', 600, 'USD', 60000, 'sandbox');
SELECT outcome, wallet_units FROM billing_complete_topups(ARRAY['top_00000000000000000000000000000002']);
SELECT bond_deposit('bdp_00000000000000000000000000000001', :'devi', 60000, 'trace-4', now());
SELECT tier FROM bonds;

-- Devi's agent, and a call of it at 300 credits.
INSERT INTO slugs (slug, developer_user_id) VALUES ('csv', :'devi');
INSERT INTO agents (agent_id, slug, major, developer_user_id, kind, signing_secret)
VALUES ('agt_csv_v1', 'csv', 1, :'devi', 'manifest', '');
INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
  price_units, input_sha256, owner, trace_id)
VALUES (:'call', :'mira', :'devi', 'agt_csv_v1', 'agv_1', '1.0.0', 'invoke', 'pending', 30000, '-', 'api-1', 'trace-5');
SELECT outcome FROM invocation_hold(ARRAY[:'call'], 30000);
SELECT outcome FROM invocation_settle(jsonb_build_array(jsonb_build_object(
  'invocation_id', :'call', 'charged_units', 30000, 'matures_after_ms', 604800000, 'duration_ms', 40)));

-- Omar, an operator, orders 1,000 credits. A slash takes at most what it can refund: the charge of 300.
INSERT INTO users (user_id, email, password_hash, display_name, role)
VALUES (:'omar', 'omar@example.test', '-', 'Omar', 'operator');
SELECT outcome FROM slash_order(NULL, NULL, :'slash', :'omar', 'agt_csv_v1', 100000, 'affected',
  'The agent leaked inputs.', '[]', ARRAY[:'call'], 604800000, 1209600000, 'trace-6', now());
SELECT status, requested_units, amount_units, returned_units FROM slashes;
SELECT kind, balance_units FROM account_balances WHERE user_id = :'devi' AND kind IN ('bond', 'slash_hold') ORDER BY 1;

-- Devi says nothing for seven days. The slash becomes final, Mira has her 300 credits, and the bond, which is below the
-- 500 of its tier, must be topped up within fourteen days.
SELECT status, top_up_by = now() + interval '14 days' AS fourteen_days
FROM slash_resolve(:'slash', 'developer_silent', NULL, NULL, now());
SELECT weight_units, refund_units FROM slash_calls;
SELECT u.display_name AS owner, b.kind, b.balance_units FROM account_balances b JOIN users u USING (user_id)
WHERE u.role <> 'operator' AND b.kind IN ('wallet', 'bond', 'slash_hold') ORDER BY 1, 2;
