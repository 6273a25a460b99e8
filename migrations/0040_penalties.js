/**
 * A slash takes what it can refund (ADR 0190): at most the rest of its calls' charges, unless it has no refunds. `refund` says
 * which; a slash with `none` is kept by the platform as a penalty. `returned_units` is what was in the hold and came back to
 * the bond when the slash became final, because the calls had been refunded otherwise by then. What left the bond is the rest.
 */
exports.up = (knex) =>
  knex.raw(`
  DROP FUNCTION IF EXISTS slash_order(text, text, text, text, text, bigint, text, jsonb, text[], bigint, bigint, text, timestamptz);
  DROP FUNCTION IF EXISTS slash_apply(text, text, text, bigint, text, jsonb, text[], bigint, bigint, text, timestamptz);
  ALTER TABLE slashes
    ADD COLUMN refund text NOT NULL DEFAULT 'affected' CHECK (refund IN ('affected', 'none')),
    ADD COLUMN returned_units bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT slashes_returned CHECK (returned_units BETWEEN 0 AND amount_units
      AND (returned_units = 0 OR (status = 'final' AND refund = 'affected')));
  COMMENT ON COLUMN slashes.amount_units IS 'What left the bond when the slash was applied';
  COMMENT ON COLUMN slashes.refund IS 'Who gets the amount: the buyers of the calls (affected), or the platform (none)';
  COMMENT ON COLUMN slashes.returned_units IS
    'Of a final slash: what came back to the bond, because the calls had been refunded otherwise by then';
  UPDATE slashes s SET returned_units = s.amount_units - c.refunded
    FROM (SELECT slash_id, sum(refund_units) AS refunded FROM slash_calls GROUP BY slash_id) c
    WHERE c.slash_id = s.slash_id AND s.status = 'final' AND s.amount_units > c.refunded;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION IF EXISTS slash_order(text, text, text, text, text, bigint, text, text, jsonb, text[], bigint, bigint, text, timestamptz);
  DROP FUNCTION IF EXISTS slash_apply(text, text, text, bigint, text, text, jsonb, text[], bigint, bigint, text, timestamptz);
  ALTER TABLE slashes DROP CONSTRAINT slashes_returned, DROP COLUMN refund, DROP COLUMN returned_units;
`);
