/** A rubric has the address of its request for comments, and is announced to developers by a notice. */
const KINDS = [
  'slash_applied', 'slash_final', 'slash_overturned', 'bond_shortfall', 'bond_delisted', 'bond_restored', 'bond_released',
  'finding_waived', 'contest_refused', 'waiver_ended',
]; // prettier-ignore
const check = (kinds) => kinds.map((kind) => `'${kind}'`).join(', ');

exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE rubrics ADD COLUMN rfc_url text CHECK (rfc_url ~ '^https://[!-~]+$' AND length(rfc_url) <= 2000);
  COMMENT ON COLUMN rubrics.rfc_url IS 'Where the change is discussed during its comment period';
  DROP FUNCTION IF EXISTS rubric_publish(text, text, text, integer);
  ALTER TABLE developer_notices DROP CONSTRAINT developer_notices_kind_check;
  ALTER TABLE developer_notices ADD CONSTRAINT developer_notices_kind_check
    CHECK (kind IN (${check([...KINDS, 'rubric_announced'])}));
`);

exports.down = (knex) =>
  knex.raw(`
  DELETE FROM developer_notices WHERE kind = 'rubric_announced';
  ALTER TABLE developer_notices DROP CONSTRAINT developer_notices_kind_check;
  ALTER TABLE developer_notices ADD CONSTRAINT developer_notices_kind_check CHECK (kind IN (${check(KINDS)}));
  ALTER TABLE rubrics DROP COLUMN rfc_url;
`);
