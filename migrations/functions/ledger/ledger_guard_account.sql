-- Checks what never changes on an account, and that a new one is empty, of a known kind and of a user who exists. A
-- trigger does it because Postgres prepares every CHECK constraint again for each statement, which would cost a call
-- more than its money movement.
-- Called by: trigger accounts_guard on accounts, trigger accounts_guard_new on accounts.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_guard_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.balance_units <> 0 OR NEW.version <> 0 OR NOT coalesce(CASE WHEN NEW.user_id IS NULL
       THEN NEW.kind IN ('cash', 'topup_clearing', 'payout_clearing', 'fees', 'platform')
       ELSE NEW.kind IN ('wallet', 'escrow', 'payable', 'bond', 'slash_hold') END, false) THEN
      RAISE EXCEPTION 'not a new account: % of %', NEW.kind, NEW.user_id USING ERRCODE = '23514';
    END IF;
    IF NEW.user_id IS NOT NULL AND NOT EXISTS (SELECT FROM users u WHERE u.user_id = NEW.user_id) THEN
      RAISE EXCEPTION 'no user % to have a %', NEW.user_id, NEW.kind USING ERRCODE = '23503';
    END IF;
  ELSIF NEW.account_id <> OLD.account_id OR NEW.kind <> OLD.kind OR NEW.user_id IS DISTINCT FROM OLD.user_id
     OR NEW.version <= OLD.version THEN
    RAISE EXCEPTION 'account % may only move its balance forward', OLD.account_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
