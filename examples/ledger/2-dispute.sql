-- A buyer disputes a call (continues 1-call.sql): a case opens, and the developer accepts it.
\set mira usr_0000000000000000000000000000000a
\set devi usr_0000000000000000000000000000000d
\set call inv_019a0000000070008000000000000002
\set dispute dsp_00000000000000000000000000000001

-- Another call, at 200 credits, as the service makes it: a row of the call beside its hold.
INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
  price_units, input_sha256, owner, trace_id)
VALUES (:'call', :'mira', :'devi', 'agt_csv_v1', 'agv_1', '1.0.0', 'invoke', 'pending', 20000, '-', 'api-1', 'trace-3');
SELECT outcome, status FROM invocation_hold(ARRAY[:'call'], 30000);
SELECT outcome, status FROM invocation_settle(jsonb_build_array(jsonb_build_object(
  'invocation_id', :'call', 'charged_units', 20000, 'matures_after_ms', 604800000, 'duration_ms', 40)));

-- Mira disputes it. Its lot of earnings waits until the case is decided, so no payout takes it.
SELECT outcome FROM dispute_open(:'dispute', :'call', :'mira', 'output_incorrect', 'The totals are wrong.', 604800000,
  259200000, now(), 'trace-3');
SELECT outcome FROM dispute_open('dsp_00000000000000000000000000000002', :'call', :'mira', 'other', 'Again.', 604800000,
  259200000, now(), 'trace-3');
SELECT d.status, d.refunded_units, e.dispute_open FROM disputes d JOIN earnings e USING (invocation_id);

-- Devi accepts: Mira gets the whole charge back, the fee too.
SELECT outcome, status FROM dispute_respond(:'dispute', 'accept', NULL, now());
SELECT d.status, d.resolution, d.refunded_units, i.status AS call, e.recovered_units
FROM disputes d JOIN invocations i USING (invocation_id) JOIN earnings e USING (invocation_id);
SELECT a.kind AS account, e.amount_units FROM transactions t JOIN entries e USING (transaction_id)
JOIN accounts a USING (account_id) WHERE t.kind = 'dispute_refund' ORDER BY e.entry_id;
