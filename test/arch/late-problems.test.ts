/**
 * A 422 names every invalid field. A rule that is checked behind the form of a request would be answered alone, so
 * each place that refuses a field is listed here: with the way by which its problems come beside the others, or with
 * what it needs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** In the check of the form: `laterProblems` of the operation, or `src/api/bodies/later-problems.ts`. */
const LISTED = 'listed with the form';
/** The service checks the form as well, and lists all problems itself. */
const WHOLE = 'checks the whole body';
/** Compares with rows, of which only a request of the right form can name one. */
const ROWS = 'needs the database';

const PLACES: Record<string, string> = {
  'src/services/accounts/api-keys.ts': ROWS,
  'src/services/accounts/key-wish.ts': ROWS,
  'src/services/accounts/login-links.ts': ROWS,
  'src/services/accounts/new-password.ts': LISTED,
  'src/services/accounts/recovery.ts': ROWS,
  'src/services/billing/auto-topups.ts': ROWS,
  'src/services/billing/billing.ts': LISTED,
  'src/services/billing/payments.ts': ROWS,
  'src/services/bonds/slashes.ts': ROWS,
  'src/services/calls/agent/input-check.ts':
    'the agent decides; besides other problems, ofAgent and ofVersion',
  'src/services/catalogue/local-certificates.ts': 'depends on the settings of the egress',
  'src/services/catalogue/publishing.ts': WHOLE,
  'src/services/catalogue/registration-check.ts': WHOLE,
  'src/services/catalogue/registrations.ts': WHOLE,
  'src/services/catalogue/upstream-credentials.ts': ROWS,
  'src/services/catalogue/visibility/visibility.ts': ROWS,
  'src/services/disputes/dispute-attachments.ts': LISTED,
  'src/services/disputes/dispute-moves.ts': ROWS,
  'src/services/jobs/job-pieces.ts': LISTED,
  'src/services/jobs/job-questions.ts': LISTED,
  'src/services/leaving/deletions.ts': ROWS,
  'src/services/mandates/mandate-keys.ts': LISTED,
  'src/services/organisations/spending.ts': ROWS,
  'src/services/payouts/payout-accounts.ts': LISTED,
  'src/services/verification/rubrics.ts': LISTED,
  'src/services/webhooks/webhooks.ts': WHOLE,
  'src/api/a2a/answer.ts': LISTED,
  'src/api/a2a/message.ts': 'readEvery',
  'src/api/a2a/send.ts': 'readEvery',
  'src/api/bodies/body-task.ts': 'the body is no object',
  'src/api/bodies/callback-body.ts': WHOLE,
  'src/api/oauth/device.ts': 'a page has one field',
  'src/api/requests/instant.ts': 'the format instant of the schema',
  'src/api/requests/known-tool.ts': 'readEvery',
  'src/api/requests/list-page.ts': 'the cursor of another list, whose filters are valid',
  'src/api/requests/request-fields.ts': 'the form itself, and readEvery',
  'src/api/routes/registrations.ts': WHOLE,
  'src/api/x402/visitor.ts': 'fields that only calls of accounts have, all of them',
};

it('lists every place that refuses a field after the schema of the request', () => {
  const files = ['src/services', 'src/api'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((name) => /\.ts$/.test(name) && !name.endsWith('.test.ts')),
  );
  const found = files.filter((file) =>
    /loc: \[\s*(?:'(?:body|query)'|where)/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(found.sort()).toEqual(Object.keys(PLACES).sort());
});
