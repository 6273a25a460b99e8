/**
 * The functions of every call, and those that they call, plan their statements once for each connection: all find their
 * rows by keys, so that the plan for any value is the plan for each, and planning anew was a sixth of their time.
 */
const HOT = ['accept', 'hold', 'hold_forward', 'forward', 'settle', 'refund'].map(
  (verb) => `invocation_${verb}`,
);

exports.up = (knex) =>
  knex.raw(HOT.map((name) => `ALTER FUNCTION ${name} SET plan_cache_mode = force_generic_plan;`).join('\n'));

exports.down = (knex) =>
  knex.raw(HOT.map((name) => `ALTER FUNCTION ${name} RESET plan_cache_mode;`).join('\n'));
