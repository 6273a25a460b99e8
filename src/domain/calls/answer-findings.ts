/** What the thread that read a large answer found out about it, so that no further thread gets the answer. */
export interface AnswerFindings {
  /** Whether the answer matches its schema; null if it was not validated. */
  matches: boolean | null;
  /** Tokens of the sample; null if they were not counted. */
  sampleTokens: number | null;
  /** How long that took, which is no time of the agent's. */
  tookMs: number;
}
