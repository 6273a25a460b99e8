import { credits, type ExportedList } from './exported-list';

const AGENTS = 'agents a WHERE a.developer_user_id = $1';

/** What the account publishes and earns. Buyers of its agents are not named. */
export const DEVELOPER_LISTS: readonly ExportedList[] = [
  {
    name: 'agents',
    about: 'Agents that the account published.',
    sql: `SELECT agent_id, slug, major, kind, status, visibility, listed, badge, trust_score, live_at, created_at
            FROM ${AGENTS} ORDER BY agent_id`,
  },
  {
    name: 'agent_audience',
    about: 'Accounts that see the private ones of these agents, as the account named them.',
    sql: `SELECT x.agent_id, x.named_as, x.added_at FROM agents a JOIN agent_audience x ON x.agent_id = a.agent_id
           WHERE a.developer_user_id = $1 ORDER BY x.agent_id, x.named_as`,
  },
  {
    name: 'reviews_of_agents',
    about: 'Reviews of these agents and the answers to them, without their buyers.',
    sql: `SELECT review_id, invocation_id, agent_id, rating, body, created_at, answer, answered_at, removed_at
            FROM reviews WHERE developer_user_id = $1 ORDER BY review_id`,
  },
  {
    name: 'agent_access_links',
    about: 'Links by which accounts may ask to see these agents, without their tokens.',
    sql: `SELECT l.agent_id, l.made_at FROM agents a JOIN agent_access_links l ON l.agent_id = a.agent_id
           WHERE a.developer_user_id = $1 ORDER BY l.agent_id`,
  },
  {
    name: 'agent_access_requests',
    about: 'Requests of other accounts to see these agents, without what they wrote.',
    sql: `SELECT r.request_id, r.agent_id, r.state, r.asked_at, r.decided_at
            FROM agents a JOIN agent_access_requests r ON r.agent_id = a.agent_id
           WHERE a.developer_user_id = $1 ORDER BY r.request_id`,
  },
  {
    name: 'agent_versions',
    about: 'Their versions with the manifests.',
    large: true,
    sql: `SELECT v.version_id, v.agent_id, v.version, v.state, v.endpoint_url, v.manifest, v.manifest_sha256,
                 v.reject_reason, v.created_at, v.submitted_at, v.live_at, v.withdrawn_at
            FROM agents a JOIN agent_versions v ON v.agent_id = a.agent_id
           WHERE a.developer_user_id = $1 ORDER BY v.agent_id, v.major, v.minor, v.patch, v.version_id`,
  },
  {
    name: 'tool_lists',
    about: 'Lists of tools of their MCP servers that verification has seen.',
    large: true,
    sql: `SELECT l.list_id, l.agent_id, l.version_id, l.state, l.digest, l.tools, l.changes, l.reason, l.seen_at, l.decided_at
            FROM agents a JOIN tool_lists l ON l.agent_id = a.agent_id
           WHERE a.developer_user_id = $1 ORDER BY l.agent_id, l.sequence`,
  },
  {
    name: 'trust_reports',
    about: 'Trust reports of these agents.',
    large: true,
    sql: `SELECT r.run_id, r.agent_id, r.version_id, r.rubric_version, r.score, r.badge, r.judgement, r.verified_at
            FROM agents a JOIN trust_reports r ON r.agent_id = a.agent_id
           WHERE a.developer_user_id = $1 ORDER BY r.agent_id, r.sequence`,
  },
  {
    name: 'findings',
    about: 'Findings of verification about these agents.',
    sql: `SELECT f.finding_id, f.agent_id, f.stage, f.severity, f.category, f.description, f.risk, f.remediation, f.status,
                 f.first_seen_at, f.status_since
            FROM agents a JOIN findings f ON f.agent_id = a.agent_id
           WHERE a.developer_user_id = $1 ORDER BY f.agent_id, f.finding_id`,
  },
  {
    name: 'finding_contests',
    about: 'Findings that the account contested.',
    sql: `SELECT c.contest_id, c.agent_id, c.finding_id, c.status, c.statement, c.opened_at, c.decided_at, c.decision_reason
            FROM agents a JOIN finding_contests c ON c.agent_id = a.agent_id
           WHERE a.developer_user_id = $1 ORDER BY c.contest_id`,
  },
  {
    name: 'agent_calls',
    about: 'Calls of these agents, without their buyers.',
    // Agent by agent in the order of the index: a sort of all calls would keep the first page waiting.
    sql: `SELECT c.* FROM (SELECT agent_id FROM agents WHERE developer_user_id = $1 ORDER BY agent_id) a CROSS JOIN LATERAL (
            SELECT i.invocation_id, i.agent_id, i.version, i.surface, i.status, i.error_code,
                   ${credits('i.charged_units', 'charged_credits')}, i.free, i.duration_ms, i.trace_id, i.invoked_at,
                   i.settled_at
              FROM all_invocations i WHERE i.agent_id = a.agent_id ORDER BY i.invocation_id) c`,
  },
  {
    name: 'earnings',
    about: 'What these calls earned.',
    sql: `SELECT invocation_id, agent_id, ${credits('gross_units', 'gross_credits')}, ${credits('fee_units', 'fee_credits')},
                 ${credits('net_units', 'net_credits')}, fee_percent, ${credits('recovered_units', 'recovered_credits')},
                 matures_at, payout_id, created_at
            FROM all_earnings WHERE developer_user_id = $1 ORDER BY matures_at, invocation_id`,
  },
  {
    name: 'payout_methods',
    about: 'Payout methods, masked as the account reads them.',
    sql: `SELECT method_id, method, masked, returned_at, created_at FROM payout_methods
           WHERE developer_user_id = $1 ORDER BY method_id`,
  },
  {
    name: 'tax_forms',
    about: 'Tax forms, masked as the account reads them.',
    sql: `SELECT form_id, kind, masked, status, submitted_at, reviewed_at, review_reason FROM tax_forms
           WHERE developer_user_id = $1 ORDER BY form_id`,
  },
  {
    name: 'payouts',
    about: 'Payouts.',
    sql: `SELECT payout_id, status, reason, method, ${credits('amount_units', 'credits')}, amount_minor, currency, rate,
                 reference, pay_to, period_start, initiated_at, completed_at
            FROM payouts WHERE developer_user_id = $1 ORDER BY payout_id`,
  },
  {
    name: 'bond',
    about: 'The bond.',
    sql: 'SELECT tier, shortfall_since, shortfall_deadline, updated_at FROM bonds WHERE developer_user_id = $1',
  },
  {
    name: 'bond_withdrawals',
    about: 'Withdrawals from the bond.',
    sql: `SELECT withdrawal_id, ${credits('requested_units', 'requested_credits')}, status,
                 ${credits('paid_units', 'paid_credits')}, requested_at, due_at, completed_at
            FROM bond_withdrawals WHERE developer_user_id = $1 ORDER BY withdrawal_id`,
  },
  {
    name: 'slashes',
    about: 'Slashes of the bond.',
    large: true,
    sql: `SELECT slash_id, agent_id, status, resolution, ${credits('amount_units', 'credits')}, refund, explanation, evidence,
                 applied_at, counter_by, countered_at, resolved_at
            FROM slashes WHERE developer_user_id = $1 ORDER BY slash_id`,
  },
  {
    name: 'slash_texts',
    about: 'Counter-arguments that the account wrote.',
    large: true,
    sql: `SELECT t.text_id, t.slash_id, t.body, t.evidence, t.created_at
            FROM slashes s JOIN slash_texts t ON t.slash_id = s.slash_id
           WHERE s.developer_user_id = $1 AND t.author_user_id = $1 ORDER BY t.text_id`,
  },
];

/** The bundles of the account's versions: id, and the name of its file in the archive. */
export const EXPORTED_BUNDLES = `SELECT v.version_id, v.agent_id, v.version FROM agents a
    JOIN agent_versions v ON v.agent_id = a.agent_id JOIN agent_bundles b ON b.version_id = v.version_id
   WHERE a.developer_user_id = $1 ORDER BY v.agent_id, v.version_id`;
export const ONE_BUNDLE = `SELECT encode(bundle, 'base64') AS bundle FROM agent_bundles WHERE version_id = $1`;
