-- Marks on the lots what a clawback took from payable: first on the disputed lot, then on the developer's oldest lots,
-- then on carries. The sum of lots and carries stays equal to payable.
-- Called by: ledger_post_clawback.
-- Locks: none of its own; the lock on payable, which the caller holds, guards all lots and carries of the developer.
CREATE OR REPLACE FUNCTION ledger_recover_from_lots(lot earnings, taken bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  other record;
  unpaid record;
  missing bigint := taken;
  share bigint;
BEGIN
  SELECT * INTO unpaid FROM payout_unpaid_from(lot.developer_user_id);
  FOR other IN
    (SELECT e.invocation_id, e.net_units - e.recovered_units AS open_units FROM earnings e
      WHERE e.invocation_id = lot.invocation_id AND e.payout_id IS NULL)
    UNION ALL
    (SELECT e.invocation_id, e.net_units - e.recovered_units FROM earnings e
      WHERE e.developer_user_id = lot.developer_user_id AND e.late AND e.payout_id IS NULL
        AND e.invocation_id <> lot.invocation_id ORDER BY e.matures_at, e.invocation_id)
    UNION ALL
    (SELECT e.invocation_id, e.net_units - e.recovered_units FROM earnings e
      WHERE e.developer_user_id = lot.developer_user_id AND NOT e.late AND e.payout_id IS NULL
        AND (e.matures_at, e.invocation_id) > (unpaid.matures_at, unpaid.invocation_id)
        AND e.invocation_id <> lot.invocation_id ORDER BY e.matures_at, e.invocation_id)
    UNION ALL
    -- None, unless a share is being reserved at this moment for several destinations.
    (SELECT e.invocation_id, e.net_units - e.recovered_units FROM earnings e
      WHERE e.developer_user_id = lot.developer_user_id AND NOT e.late AND e.payout_id IS NULL
        AND (e.matures_at, e.invocation_id) <= (unpaid.matures_at, unpaid.invocation_id)
        AND e.invocation_id <> lot.invocation_id)
  LOOP
    EXIT WHEN missing = 0;
    share := least(missing, other.open_units);
    CONTINUE WHEN share = 0;
    UPDATE earnings e SET recovered_units = e.recovered_units + share WHERE e.invocation_id = other.invocation_id;
    missing := missing - share;
  END LOOP;
  FOR other IN
    SELECT c.payout_id, c.kind, c.amount_units - c.recovered_units AS open_units FROM payout_carries c
    WHERE c.developer_user_id = lot.developer_user_id AND c.into_payout_id IS NULL
      AND c.recovered_units < c.amount_units ORDER BY c.payout_id, c.kind
  LOOP
    EXIT WHEN missing = 0;
    share := least(missing, other.open_units);
    UPDATE payout_carries c SET recovered_units = c.recovered_units + share
      WHERE c.payout_id = other.payout_id AND c.kind = other.kind;
    missing := missing - share;
  END LOOP;
  IF missing <> 0 THEN
    RAISE EXCEPTION 'payable of % holds % more than its lots', lot.developer_user_id, missing USING ERRCODE = '23514';
  END IF;
END $$;

REVOKE ALL ON FUNCTION ledger_recover_from_lots FROM PUBLIC, market_app;
