/** The words of trust reports (specification, "Trust report"; contract, "Trust"). */
export const STAGES = ['static_analysis', 'supply_chain', 'dynamic_testing', 'red_team'] as const;
export type Stage = (typeof STAGES)[number];

/** Points of each stage; 100 in all. Fixed by the specification, whatever the rubric. */
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

/** Something that a run found, before anybody has given it an id and a status. */
export interface JudgedFinding {
  /** What makes it the same thing when another run sees it again. Never shown. */
  fingerprint: string;
  severity: Severity;
  category: string;
  description: string;
  remediation: string;
}

/** What one check of a stage brought. Points have at most three decimals. */
export interface JudgedCheck {
  /** What could be looked at, of what the check wanted: 0 to 1, three decimals. */
  coverage: number;
  points: number;
  max: number;
  /** Codes of what was missing; empty when all was looked at. */
  gaps: string[];
}

export interface JudgedStage {
  score: number;
  max: number;
  /** Mean of its checks' coverage, weighted by their points. */
  coverage: number;
  checks: Record<string, JudgedCheck>;
  /** Worst first, then by category and text. */
  findings: JudgedFinding[];
}

/** What a rubric makes of evidence. Its canonical JSON is stored; the same evidence again gives the same bytes. */
export interface Judgement {
  rubric_version: string;
  score: number;
  /** By score and findings alone; the developer's bond may cap it. */
  earned_badge: Badge | null;
  stages: Record<Stage, JudgedStage>;
  summary: string;
  data_handling: DataHandlingAudit;
}

/** What became of a declaration: `not_audited` where nothing can be seen from outside, or nothing was looked at. */
export type AuditResult = 'consistent' | 'contradicted' | 'not_audited';

/** Declarations of the manifest's data_handling, and what the run could see of them. */
export interface DataHandlingAudit {
  pii_processed: { result: AuditResult };
  subprocessors: { result: AuditResult };
  residency: { result: 'not_audited' };
  data_retention_days: { result: 'not_audited' };
}

export function worstFirst(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}
