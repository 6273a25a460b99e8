/** Probes that the agent took as jobs, in dynamic testing. */
export interface JobsFact {
  taken: number;
  answered: number;
  /** Those about which the agent was to call back. */
  calledBack: number;
  /** No answer came in the time that a probe waits. */
  unanswered: number;
  /** Reports of less progress than before. */
  backwards: number;
  /** Callbacks that no secret of the agent had signed. */
  unsigned: number;
  /** Percentiles of the time from the call to the answer; null without one. */
  p50Ms: number | null;
  p95Ms: number | null;
  /** A job that was cancelled, and whether the agent answered it all the same; null if none was. */
  cancelled: { goesOn: boolean; invocationId: string } | null;
}
