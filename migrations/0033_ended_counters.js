/** Ended counters of rate limits by their end, so that deleting them does not read all counters (`src/stores/accounts/rate-limits.ts`). */
exports.up = (knex) => knex.raw('CREATE INDEX rate_limits_end ON rate_limits (window_ends_at)');

exports.down = (knex) => knex.raw('DROP INDEX rate_limits_end');
