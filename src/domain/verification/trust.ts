import type { AdvisoryDate } from '../evidence/evidence-facts';
import type { ToolTests } from '../catalogue/tools/tool-tests';

/** The vocabulary of trust reports (specification, "Trust report"; contract, "Trust"). */
export const STAGES = ['static_analysis', 'supply_chain', 'dynamic_testing', 'red_team'] as const;
export type Stage = (typeof STAGES)[number];

/** Maximum points of each stage; 100 in total. The specification fixes them for every rubric. */
export const STAGE_MAX: Record<Stage, number> = {
  static_analysis: 25,
  supply_chain: 25,
  dynamic_testing: 30,
  red_team: 20,
};

/** Worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Lowest first; the names of bond tiers too. */
export const BADGES = ['basic', 'standard', 'premium'] as const;
export type Badge = (typeof BADGES)[number];

/**
 * An operator's decision that a finding does not count until a date (docs/verification-scores.md, "Waivers and
 * contests").
 */
export interface FindingWaiver {
  waiver_id: string;
  /** Public: the report shows it. */
  reason: string;
  /** ISO 8601 */
  expires_at: string;
}

/** A finding of a run, before it is stored with an id and a status. */
export interface JudgedFinding {
  /** Identifies the same finding across runs. Never shown. */
  fingerprint: string;
  /** Identifies what was found; a waiver holds only as long as it is the same. Never shown. */
  mark: string;
  severity: Severity;
  category: string;
  description: string;
  /** What the finding can mean for a buyer. */
  risk: string;
  remediation: string;
  /** The first place in the bundle; null if the finding is not about a place in it. */
  place: { path: string; line: number } | null;
  /** The probe that shows it, as it is named in the agent's own log. */
  invocation_id: string | null;
  /** Points that the finding takes from its stage, at most three decimals. A waived finding takes none. */
  points_lost: number;
  waiver: FindingWaiver | null;
}

/** A reason why an agent cannot reach 100 points, although no finding costs them. */
export interface CeilingReason {
  /** `no_bundle`, `no_lockfile`, … */
  code: string;
  points: number;
  why: string;
  remedy: string;
}

/** What the agent would reach without any finding: what was not examined earns no points. */
export interface Ceiling {
  score: number;
  /** Without the cap of the bond. */
  badge: Badge | null;
  /** Most points first. */
  reasons: CeilingReason[];
}

/** Result of one check. Points have at most three decimals. */
export interface JudgedCheck {
  /** Share of the check's items that were inspected: 0 to 1, three decimals. */
  coverage: number;
  points: number;
  max: number;
  /** Codes of the gaps; empty when coverage is complete. */
  gaps: string[];
}

export interface JudgedStage {
  score: number;
  max: number;
  /** Mean coverage of the stage's checks, weighted by their points. */
  coverage: number;
  checks: Record<string, JudgedCheck>;
  /** Worst first, then by category and text. */
  findings: JudgedFinding[];
}

/**
 * A rubric applied to evidence. Its canonical JSON is stored; judging the same evidence again gives the same
 * bytes.
 */
export interface Judgement {
  rubric_version: string;
  score: number;
  /** The badge by score and findings alone; the developer's bond can limit the badge that is shown. */
  earned_badge: Badge | null;
  stages: Record<Stage, JudgedStage>;
  ceiling: Ceiling;
  /** Until when the advisories reach that the run used, by ecosystem of the bundle. */
  advisories: AdvisoryDate[];
  summary: string;
  data_handling: DataHandlingAudit;
  /** Absent in judgements of former runs. */
  latency?: LatencyPercentiles;
  /** Which tools of an MCP agent the run has called; absent for other agents, and in judgements of former runs. */
  tools?: ToolTests;
  /** Absent in judgements by rubrics before 2026.2. */
  examined?: Examined;
}

/** Answers that a run checked by a schema or an expected output, and those that were right. */
export interface Examined {
  checked: number;
  right: number;
}

/**
 * How long the agent took to answer the probes of a run, or to take them as jobs; null when it did neither. The time of
 * jobs stands apart.
 */
export interface LatencyPercentiles {
  /** Present if the agent took probes as jobs: how many it answered, from the call to the answer. */
  jobs?: { count: number; p50_ms: number | null; p95_ms: number | null };
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
}

/**
 * Result of auditing a declaration. `not_audited`: it cannot be verified from outside, or nothing was
 * inspected.
 */
export type AuditResult = 'consistent' | 'contradicted' | 'not_audited';

/** The data-handling declarations of the manifest, and the audit result of each. */
export interface DataHandlingAudit {
  pii_processed: { result: AuditResult };
  subprocessors: { result: AuditResult };
  residency: { result: 'not_audited' };
  data_retention_days: { result: 'not_audited' };
}

/** Sort comparator: worst severity first. */
export function worstFirst(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}
