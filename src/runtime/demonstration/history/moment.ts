import type { Past } from './past';

/** The accounts that buy. */
export type Person = 'buyer' | 'team' | 'studio';
/** The accounts that sell; one of them buys as well. */
export type Seller = 'developer' | 'studio';

/** Something that happens at a time, after the calls before it. */
export interface Moment {
  atMs: number;
  run(past: Past): Promise<void>;
}

export interface CaseContext {
  users: Record<Person | 'developer' | 'operator', string>;
  agents: ReadonlyMap<string, { agentId: string; developerUserId: string }>;
  disputeWindowMs: number;
  responseWindowMs: number;
  counterWindowMs: number;
  topUpWindowMs: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
