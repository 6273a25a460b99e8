/** A warranty: what an agent promises of each month, and what the bond of its developer pays if it is not kept. */

/** The warranty of a manifest; at least one of the three promises is there. */
export interface Warranty {
  /** The least share of paid calls without an error of the agent. */
  success_rate?: number;
  /** The longest 95th percentile of the durations of successful calls. */
  p95_ms?: number;
  /** The least share of paid calls for which the agent was reached and answered in time. */
  uptime?: number;
  /** The part of what the month has cost each buyer that is paid back from the bond. */
  remedy_percent: number;
}

export const WARRANTY_LIMITS = { leastShare: 0.5, p95Ms: 300_000, months: 24 } as const;

export const WARRANTY_OUTCOMES = ['kept', 'broken', 'few_calls'] as const;
export type WarrantyOutcome = (typeof WARRANTY_OUTCOMES)[number];

/** The measured figures of a month. */
export interface WarrantyFigures {
  calls: number;
  buyers: number;
  failed: number;
  success_rate: number;
  uptime: number;
  p95_ms: number | null;
  /** Of a broken month: what the remedy is, before the bond limits it. */
  remedy_credits?: number;
}

/** The input of the workflow that decides a month, `2026-11`; default: the month before its start. */
export interface WarrantyMonthInput {
  month?: string;
  /** Where it goes on, in a new history. */
  afterAgentId?: string;
  counts?: WarrantyCounts;
}

export type WarrantyCounts = Record<WarrantyOutcome | 'none' | 'missing', number>;

/** The month before a time in ms, in UTC, such as `2026-10`. */
export function monthBefore(ms: number): string {
  const at = new Date(ms);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
}

/** Whether a warranty promises anything. */
export const promises = ({ success_rate, p95_ms, uptime }: Partial<Warranty>): boolean =>
  success_rate !== undefined || p95_ms !== undefined || uptime !== undefined;
