/** Tax forms that wait for a review, for the list of operators. The index has no other forms. */
exports.up = (knex) =>
  knex.raw(`CREATE INDEX tax_forms_waiting ON tax_forms (form_id DESC) WHERE status = 'submitted'`);

exports.down = (knex) => knex.raw('DROP INDEX tax_forms_waiting');
