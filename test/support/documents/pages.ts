/**
 * The pages whose commands are run, in the order of a reader. `test/arch/documents.test.ts` finds a page that is in no
 * list.
 */

/** On the market of `test/long/tutorials.test.ts`. All but the first call the agents that the first makes. */
const SELL = 'docs/tutorials/sell-your-agent.md';
export const TUTORIALS = [
  SELL,
  'docs/tutorials/buy-with-a-program.md',
  'docs/tutorials/connect-an-assistant.md',
  'docs/tutorials/let-agents-pay-agents.md',
  'docs/streaming.md',
  'docs/tutorials/buy-with-typescript.md',
];
/** These need the agents of the first page, too. */
export const PYTHON_TUTORIALS = ['docs/tutorials/buy-with-python.md', 'docs/tutorials/sell-with-python.md'];

/** On the stack of `test/long/pages.test.ts`, in one shell: the first page sets what the others use. */
export const STACK_PAGES = [
  'README.md',
  'docs/tutorials/run-it.md',
  'docs/self-hosted.md',
  'docs/use.md',
  'docs/accounts.md',
  'docs/keys-and-limits.md',
  'docs/top-ups.md',
  'docs/mcp-and-a2a.md',
  'docs/mcp-configurations.md',
  'docs/evidence.md',
  'docs/mandates.md',
  'docs/webhooks.md',
  'docs/oauth.md',
  'docs/cli.md',
  'docs/bonds.md',
  'docs/ledger.md',
  'docs/operators/backup.md',
  'docs/operators/runbooks/credits-missing.md',
];

/** The runbooks that have commands, on the same stack, as an operator. */
export const RUNBOOKS = [
  'calls-slow',
  'clearing-old',
  'database-down',
  'decisions-wait',
  'deletions-wait',
  'disk-fills',
  'engine-down',
  'exchange-rate-old',
  'exports-fail',
  'holds-overdue',
  'ledger-check-failed',
  'ledger-not-checked',
  'ledger-not-sealed',
  'loop-fails',
  'mails-wait',
  'monday-late',
  'not-paid',
  'partitions',
  'payouts-wait',
  'pool-exhausted',
  'process-down',
  'x402-payments-wait',
  'x402-refunds-wait',
].map((name) => `docs/operators/runbooks/${name}.md`);

/** On a stack of `npm start -- --payments`, of `test/long/payments-start.test.ts`. */
export const PAYMENT_PAGES = ['docs/try-payments.md'];

/** Pages whose examples other tests run. */
export const RUN_BY_OTHERS: Record<string, string> = {
  'packages/client/README.md': 'test/integration/cli/client.test.ts',
  'packages/python/README.md': 'test/long/tutorials.test.ts',
  'packages/cli/README.md': 'test/integration/cli/cli-package.test.ts',
  'docs/reference/cli.md': 'test/arch/reference.test.ts',
};
