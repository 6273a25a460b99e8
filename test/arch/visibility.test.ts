/**
 * Every statement that reads agents has the one condition by which an agent is shown, or reads listed agents alone,
 * which a constraint keeps public, or has a reason why it may read any (ADR 0384). A new file that reads agents fails
 * here until it is in one of these tables.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const READS = /\b(FROM|JOIN)\s+(ONLY )?agents\b/;
const SHOWN = /shownTo\(|agent_shown_to\(/;
const LISTED = /\ba\.listed\b/;

/** Files whose statements have the condition. */
const WITH_CONDITION = [
  'migrations/functions/calls/invocation_decide.sql',
  'migrations/functions/prices/price_rise_notify.sql',
  'src/stores/billing/free-calls.ts',
  'src/stores/catalogue/agent-owners.ts',
  'src/stores/catalogue/agents.ts',
  'src/stores/catalogue/developers.ts',
  'src/stores/catalogue/listings.ts',
  'src/stores/catalogue/search/favourites.ts',
  'src/stores/catalogue/serving-versions.ts',
  'src/stores/mandates/mandates.ts',
];

/** Files that read agents of lists alone. */
const OF_LISTS = ['src/stores/catalogue/listed-agents.ts', 'src/stores/catalogue/search/listing-search.ts'];

/** Files that may read any agent, and why. */
const ANY: Record<string, string> = {
  // Parts of the statements of listing-search.ts and intent-search.ts, which read listed agents.
  'src/stores/catalogue/search/listing-page.ts': 'of agents that a search has found',
  'src/stores/catalogue/search/matching.ts': 'versions among which a search looks for listed agents',
  'src/stores/catalogue/search/agent-vectors.ts': 'of rows that private agents do not have',
  'migrations/functions/catalogue/agent_search_write.sql': 'writes no row for private agents',
  // Of the owner, whose store or service compares the account.
  'src/stores/catalogue/agent-versions.ts': 'versions of an own agent',
  'src/stores/catalogue/endpoint-proofs.ts': 'the owner of an agent that is verified',
  'src/stores/catalogue/sales.ts': 'agents of the developer',
  'src/stores/catalogue/version-numbers.ts': 'numbers of an own slug',
  'src/stores/catalogue/visibility/access-requests.ts': 'the agent of a link that its owner made',
  'src/stores/catalogue/visibility/audience.ts': 'agents of the audience that the account is in',
  'src/stores/calls/agent-calls.ts': 'calls of an own agent',
  'src/stores/prices/price-rises.ts': 'a new version of an own agent',
  'src/stores/leaving/exported-agents.ts': 'an export of own agents',
  'src/stores/leaving/deletions.ts': 'own agents, which a deletion retires',
  'migrations/functions/leaving/account_delete_blocks.sql': 'calls of own agents',
  'migrations/functions/leaving/account_erase.sql': 'own agents, which a deletion erases',
  'src/stores/payouts/payout-transfers.ts': 'earnings of the developer',
  'migrations/functions/catalogue/slug_claim.sql': 'a slug is taken whatever has it',
  // Of a call, to its own parties.
  'src/stores/calls/invocation-reads.ts': 'a call of the account',
  'src/stores/jobs/job-callbacks.ts': 'a call that runs',
  'src/stores/jobs/probe-jobs.ts': 'a probe that runs',
  'src/stores/a2a/a2a-tasks.ts': 'a task of the account',
  'src/stores/billing/spend.ts': 'spend of the account',
  'src/stores/billing/spend-groups.ts': 'spend of the account',
  'src/stores/disputes/disputed-call.ts': 'a call that its party disputes',
  'src/stores/evidence/evidence.ts': 'a call of the account',
  'migrations/functions/jobs/job_ask.sql': 'a job that runs',
  // Changes of listings, without agents that are not public.
  'src/stores/catalogue/listing-changes.ts': 'changes of public agents, and that others are gone',
  // Of operators.
  'src/stores/operations/account-search.ts': 'for operators',
  'src/stores/operations/operator-lists.ts': 'for operators',
  'src/stores/operations/subjects.ts': 'for operators',
  // Verification and figures, which every agent has.
  'src/stores/verification/advisories.ts': 'verification',
  'src/stores/verification/call-tallies.ts': 'verification',
  'src/stores/evidence/reviews.ts': 'reviews: readers look for the agent first',
  'src/stores/verification/tool-list-reads.ts': 'verification: readers look for the agent first',
  'src/stores/verification/tool-lists.ts': 'verification: the version that serves, by its id',
  'src/stores/verification/rubrics.ts': 'verification',
  'src/stores/verification/trust-reports.ts': 'verification: readers look for the agent first',
  'src/stores/verification/waivers.ts': 'for operators and the owner',
  'migrations/functions/bonds/slash_apply.sql': 'for operators',
  'migrations/functions/bonds/warranty_decide.sql': 'the warranty of an agent',
  'src/stores/bonds/warranties.ts': 'the workflow that decides warranties',
  'migrations/functions/catalogue/agent_standing_write.sql': 'the standing of an agent',
  'migrations/functions/catalogue/buyer_days_add.sql': 'figures',
  'migrations/functions/catalogue/owner_changes_apply.sql': 'figures',
  'migrations/functions/catalogue/developer_standing_refresh.sql': 'the standing of agents',
  'migrations/functions/catalogue/usage_recount.sql': 'figures',
  'migrations/functions/calls/acceptance_buyers_differ.sql': 'figures',
  'migrations/functions/catalogue/usage_roll_up.sql': 'figures',
  'migrations/functions/webhooks/notice_record.sql': 'the owner of the agent of an event',
};

const sources = ['src/stores', 'migrations/functions'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|sql)$/.test(entry.name))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: path.slice(ROOT.length + 1), text: readFileSync(path, 'utf8') };
    }),
);
const readers = sources.filter(({ text }) => READS.test(text));

it('knows every file that reads agents, and why it may', () => {
  expect(readers.map(({ path }) => path).sort()).toEqual(
    [...new Set([...WITH_CONDITION, ...OF_LISTS, ...Object.keys(ANY)])].sort(),
  );
});

it.each(WITH_CONDITION)('%s has the condition by which an agent is shown', (path) => {
  expect(sources.find((source) => source.path === path)?.text).toMatch(SHOWN);
});

it.each(OF_LISTS)('%s reads listed agents', (path) => {
  expect(sources.find((source) => source.path === path)?.text).toMatch(LISTED);
});

it('reads agents in stores alone', () => {
  const folders = ['src/services', 'src/api', 'src/engine', 'src/activities', 'src/workers'];
  const found = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => /`[^`]*\b(FROM|JOIN) agents\b[^`]*`/.test(readFileSync(path, 'utf8'))),
  );
  expect(found).toEqual([]);
});
