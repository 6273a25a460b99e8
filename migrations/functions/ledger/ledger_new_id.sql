-- Makes an id: the prefix and a UUIDv7, so that ids sort by the time they were made.
-- Called by: billing_issue_invoice, billing_issue_note, bond_notify, invocation_admit, ledger_capture_one, ledger_hold,
-- ledger_post, ledger_void, notice_record, payout_begin, slash_action.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_new_id(prefix text) RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN prefix || '_' || replace(uuidv7()::text, '-', '');

REVOKE ALL ON FUNCTION ledger_new_id FROM PUBLIC, market_app;
