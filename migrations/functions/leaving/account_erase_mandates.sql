-- Replaces the ids that an account gave its mandates, in its mandates and in the calls under them, in one transaction,
-- so that the proofs of the ledger hold at any time. The same id always has the same replacement.
-- Called by: account_erase.
-- Locks: the mandates of the account, then the calls under them.
CREATE OR REPLACE FUNCTION account_erase_mandates(owner_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE mandates m SET mandate_id = account_erased_id(owner_id, m.mandate_id), jti = account_erased_id(owner_id, m.jti),
         root_jti = account_erased_id(owner_id, m.root_jti), parent_id = account_erased_id(owner_id, m.parent_id),
         subject = account_erased_id(owner_id, m.subject), kid = 'deleted'
   WHERE m.issuer_user_id = owner_id;
  UPDATE mandate_proofs p SET mandate_id = account_erased_id(owner_id, p.mandate_id),
         proof_jti = account_erased_id(owner_id, p.proof_jti) WHERE p.issuer_user_id = owner_id;
  UPDATE invocations i SET mandate_id = account_erased_id(owner_id, i.mandate_id)
   WHERE i.buyer_user_id = owner_id AND i.mandate_id IS NOT NULL;
  UPDATE archive.invocations i SET mandate_id = account_erased_id(owner_id, i.mandate_id)
   WHERE i.buyer_user_id = owner_id AND i.mandate_id IS NOT NULL;
END $$;

REVOKE ALL ON FUNCTION account_erase_mandates FROM PUBLIC, market_app;
