-- Deletes one batch of attachments of disputes that were decided 90 days ago. Returns how many.
-- Called by: src/stores/disputes/dispute-attachments.ts.
-- Locks: the attachments, skipping locked ones.
CREATE OR REPLACE FUNCTION dispute_attachments_purge(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE purged integer;
BEGIN
  DELETE FROM dispute_attachments a WHERE a.attachment_id IN (
    SELECT o.attachment_id FROM dispute_attachments o JOIN disputes d USING (dispute_id)
    WHERE d.resolved_at < now() - interval '90 days' ORDER BY o.attachment_id LIMIT most FOR UPDATE OF o SKIP LOCKED);
  GET DIAGNOSTICS purged = ROW_COUNT;
  RETURN purged;
END $$;

REVOKE ALL ON FUNCTION dispute_attachments_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION dispute_attachments_purge TO market_app;
