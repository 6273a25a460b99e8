/** How far a verification run is, stage by stage. */
import type { EvidenceStage } from './probe-facts';
import { type JudgedFinding, type Judgement, type Stage, STAGES } from './trust';

/** A stage that has not begun has neither time; one that runs has no `finishedAt`. */
export interface StageProgress {
  stage: Stage;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/**
 * Derives the progress of a run from the times at which the evidence of its stages was stored. Dynamic testing and the
 * red team run at the same time.
 */
export function progressOf(
  startedAt: Date,
  storedAt: Partial<Readonly<Record<EvidenceStage, Date>>>,
): StageProgress[] {
  const { static: code = null, supplyChain: packages = null, dynamic = null, redTeam = null } = storedAt;
  return [
    { stage: 'static_analysis', startedAt, finishedAt: code },
    { stage: 'supply_chain', startedAt: code, finishedAt: packages },
    { stage: 'dynamic_testing', startedAt: packages, finishedAt: dynamic },
    { stage: 'red_team', startedAt: packages, finishedAt: redTeam },
  ];
}

/** What failed a run, and in which stage. */
export interface StageFailure {
  stage: Stage;
  /** Null for a version that was never called. */
  finding: JudgedFinding | null;
}

/**
 * Derives what failed a run, in the order of the stages: its critical findings that are not waived. A run without one
 * that failed nevertheless never called its version.
 */
export function failuresOf({ stages }: Pick<Judgement, 'stages'>): StageFailure[] {
  const failures = STAGES.flatMap((stage) =>
    stages[stage].findings
      .filter(({ severity, waiver }) => severity === 'critical' && waiver === null)
      .map((finding) => ({ stage, finding })),
  );
  return failures.length > 0 ? failures : [{ stage: 'dynamic_testing', finding: null }];
}
