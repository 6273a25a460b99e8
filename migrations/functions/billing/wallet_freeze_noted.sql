-- Writes a notice for the owner of a wallet that was frozen, or that is no longer frozen for any cause.
-- Called by: trigger frozen_wallets_notice on frozen_wallets.
-- Locks: none.
CREATE OR REPLACE FUNCTION wallet_freeze_noted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notice_record('wallet.frozen', jsonb_build_object('cause', NEW.cause), ARRAY[NEW.user_id], NULL);
  ELSIF NOT EXISTS (SELECT FROM frozen_wallets f WHERE f.user_id = OLD.user_id) THEN
    PERFORM notice_record('wallet.unfrozen', jsonb_build_object('cause', OLD.cause), ARRAY[OLD.user_id], NULL);
  END IF;
  RETURN NULL;
END $$;
