-- Replaces the ids that an account gave a batch of its mandates, in these, in the mandates below them and in the calls
-- under them, in one transaction, so that the proofs of the ledger hold at any time. The same id always has the same
-- replacement. A batch has about `most` calls, and one mandate at least. `after`: the last id of the batch before.
-- Called by: account_erase.
-- Locks: the mandates of the batch and those below them, then the calls under them.
CREATE OR REPLACE FUNCTION account_erase_mandates(owner_id text, after text, most integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  ids text[] := ARRAY(
    SELECT c.mandate_id FROM (
      SELECT m.mandate_id, sum(m.occurrences) OVER (ORDER BY m.mandate_id) - m.occurrences AS calls
        FROM mandates m WHERE m.issuer_user_id = owner_id AND m.mandate_id > after
       ORDER BY m.mandate_id LIMIT least(most, 100)) c
     WHERE c.calls < most ORDER BY c.mandate_id);
BEGIN
  UPDATE mandates m SET
         mandate_id = CASE WHEN m.mandate_id = ANY (ids) THEN account_erased_id(owner_id, m.mandate_id) ELSE m.mandate_id END,
         parent_id = CASE WHEN m.parent_id = ANY (ids) THEN account_erased_id(owner_id, m.parent_id) ELSE m.parent_id END,
         jti = account_erased_id(owner_id, m.jti), root_jti = account_erased_id(owner_id, m.root_jti),
         subject = account_erased_id(owner_id, m.subject), kid = 'deleted'
   WHERE m.issuer_user_id = owner_id AND (m.mandate_id = ANY (ids) OR m.parent_id = ANY (ids));
  UPDATE mandate_proofs p SET mandate_id = account_erased_id(owner_id, p.mandate_id),
         proof_jti = account_erased_id(owner_id, p.proof_jti)
   WHERE p.issuer_user_id = owner_id AND p.mandate_id = ANY (ids);
  UPDATE invocations i SET mandate_id = account_erased_id(owner_id, i.mandate_id)
   WHERE i.buyer_user_id = owner_id AND i.mandate_id = ANY (ids);
  UPDATE archive.invocations i SET mandate_id = account_erased_id(owner_id, i.mandate_id)
   WHERE i.buyer_user_id = owner_id AND i.mandate_id = ANY (ids);
  RETURN ids[array_upper(ids, 1)];
END $$;

REVOKE ALL ON FUNCTION account_erase_mandates FROM PUBLIC, market_app;
