'use strict';

/**
 * Files of which `npm test` runs a part: some sizes and rows of their tables are for `npm run test:long`, which runs
 * these files once more, whole (ADR 0257). test/long/README.md names the promise of each.
 */
module.exports = [
  'src/kit/masking/mask-pool.test.ts',
  'src/kit/schemas/schema-pool.test.ts',
  'src/verification/probes/answer-thread.test.ts',
  'test/integration/api/odd-requests.test.ts',
  'test/integration/billing/usage.test.ts',
  'test/integration/catalogue/registration-change.test.ts',
  'test/integration/ledger/market-mixture.test.ts',
  'test/integration/load/overload.test.ts',
  'test/integration/payouts/payout-statements.test.ts',
  'test/workflow/agent-verification.test.ts',
];
