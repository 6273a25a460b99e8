import { pointsText } from './points';
import type { Schema } from '../api-schema';
import { creditsText } from '../../domain/ledger/money';
import { priceText } from './listing-text';
import { fieldsText } from './pages';
import { tableText } from './terminal-text';

type Usage = Schema<'GetAnalyticsResponse'>;
type OwnAgentDetail = Schema<'OwnAgentDetail'>;
type AgentVersion = Schema<'AgentVersion'>;
type AgentVersionDetail = Schema<'AgentVersionDetail'>;

/** Formats the usage of an agent: its totals, the days with calls, and the codes of its errors. */
export function usageOfAgentText(usage: Usage): string {
  const { agent_id, since, until, calls, succeeded, failed, disputed, days, errors } = usage;
  const totals = fieldsText({
    agent: agent_id,
    from: since,
    to: until,
    calls: `${calls}: ${succeeded} succeeded, ${failed} failed, ${disputed} disputed`,
    'success rate': percent(usage.success_rate),
    latency: latencyOf(usage),
    jobs: usage.jobs.count > 0 ? `${usage.jobs.count} succeeded, ${latencyOf(usage.jobs)}` : undefined,
    earned: creditsText(round(days.reduce((sum, day) => sum + day.developer_earnings_credits, 0))),
  });
  const used = days.filter((day) => day.calls > 0);
  if (used.length === 0) return `${totals}\n\nNo calls on these days.`;
  const rows = used.map((day) => [
    day.date,
    String(day.calls),
    String(day.failed),
    percent(day.success_rate),
    day.p50_ms === null ? '-' : String(day.p50_ms),
    day.p95_ms === null ? '-' : String(day.p95_ms),
    String(day.developer_earnings_credits),
  ]);
  const table = tableText([['day', 'calls', 'failed', 'succeeded', 'p50 ms', 'p95 ms', 'earned'], ...rows]);
  if (errors.length === 0) return `${totals}\n\n${table}`;
  const codes = errors.map(({ code, calls: count }) => [code, String(count)]);
  return `${totals}\n\n${table}\n\n${tableText([['error', 'calls'], ...codes])}`;
}

/** Formats one of the caller's own agents. Its manifest is in `--json`, and so is its signing secret. */
export function ownAgentText(agent: OwnAgentDetail): string {
  const { latest_version: latest, latest_run: run } = agent;
  return fieldsText({
    agent: agent.agent_id,
    name: agent.display_name,
    kind: agent.kind,
    status: agent.status,
    serves: agent.serving_version ?? 'no version yet',
    visibility: agent.visibility,
    listed: agent.listed ? 'yes' : 'no',
    badge: agent.badge === null ? 'none' : `${agent.badge}, score ${agent.trust_score ?? '-'}`,
    ...latestFields(latest),
    verification: run && `${run.state}, ${run.run_id} of ${run.version}, since ${run.started_at}`,
    credential: agent.upstream_auth_set ? 'set' : null,
    'old secret until': agent.previous_secret_expires_at,
    created: agent.created_at,
    more: `market agents version ${agent.agent_id} ${latest.version}; --json has the manifest and the signing secret`,
  });
}

function latestFields({ version, status, endpoint_url, reject_reason: reason }: AgentVersion) {
  return { latest: `${version} ${status}`, endpoint: endpoint_url, 'rejected because': reason };
}

/** Formats one version of the caller's own agent. The document as it was stored is in `--json`. */
export function ownVersionText(version: AgentVersionDetail): string {
  const { manifest, registration } = version;
  const document = manifest ?? registration;
  const record = fieldsText({
    version: version.version,
    status: version.status,
    endpoint: version.endpoint_url,
    price: priceText(version),
    'until its price counts': version.former_pricing
      ? `${priceText({ pricing: version.former_pricing })}, until ${version.price_effective_at}`
      : undefined,
    'rejected because': version.reject_reason,
    created: version.created_at,
    submitted: version.submitted_at,
    'live since': version.live_at,
    sha256: version.manifest_sha256,
  });
  if (document === null) return record;
  const what = manifest === null ? 'registration' : 'manifest';
  return `${record}\n\nThe ${what}; --json has it as it was stored:\n${fieldsText(document)}`;
}

/** Formats the score of an agent: the scale of badges, and what would raise the score. */
export function ownScoreText({ score, badge, bond_credits: bond, scale, steps }: Schema<'OwnScore'>): string {
  const own = fieldsText({
    score: score === null ? 'no verification has ended yet' : `${score} of 100`,
    badge: badge ?? 'none',
    bond: creditsText(bond),
  });
  const badges = tableText([
    ['badge', 'needs a score of', 'needs a bond of', 'missing'],
    ...scale.map((step) => [
      step.badge,
      String(step.least_score),
      creditsText(step.least_bond_credits),
      [
        step.missing_score > 0 && pointsText(step.missing_score),
        step.missing_bond_credits > 0 && `${creditsText(step.missing_bond_credits)} of bond`,
      ]
        .filter(Boolean)
        .join(', ') || 'nothing',
    ]),
  ]);
  if (steps.length === 0) return `${own}\n\n${badges}`;
  const rows = steps.map(({ points, what, remedy }) => `${pointsText(points)}: ${what}\n  ${remedy}`);
  return `${own}\n\n${badges}\n\nWhat would raise the score:\n${rows.join('\n')}`;
}

const percent = (share: number | null) => (share === null ? '-' : `${Math.round(share * 1_000) / 10}%`);
const round = (credits: number) => Math.round(credits * 100) / 100;

function latencyOf({ p50_ms, p95_ms }: Pick<Usage, 'p50_ms' | 'p95_ms'>): string {
  return p50_ms === null ? 'no successful call yet' : `p50 ${p50_ms} ms, p95 ${p95_ms ?? '-'} ms`;
}
