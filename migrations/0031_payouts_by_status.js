/** Payouts by status, newest first, for lists of operators: a rare status does not make a page read all payouts. */
exports.up = (knex) => knex.raw('CREATE INDEX payouts_status ON payouts (status, payout_id DESC)');

exports.down = (knex) => knex.raw('DROP INDEX payouts_status');
