import type { GapCode } from '../../domain/evidence/evidence-facts';
import type { InputRole } from '../../domain/catalogue/input-role';
import type { InvalidInputFact } from '../../domain/verification/probe-facts';
import type { ExpectedOutput } from './expected-output';

/** What a run sends to an agent (`live-testing.ts`). Both stages draw the same plan from the seed of the run. */
export interface LivePlan {
  /** Examples of the manifest, all of which must be answered. */
  examples: readonly { text: string; expected: ExpectedOutput | null }[];
  /** Inputs made from the schema; a refused one is replaced by the next. */
  made: readonly string[];
  /** For each of `made`, what replaces it; default: what `made` has beyond the intended ones. */
  spares?: readonly (readonly string[])[];
  /**
   * Ordinary inputs of the red team, whose answers it compares with those to its attempts. A refused one is replaced by
   * the next.
   */
  baseline: readonly string[];
  /** How many of them are sent. */
  mostBaseline: number;
  /** The salt of the run for hashes of answers. */
  salt: string;
  /** Proven inputs that are intended. */
  wanted: number;
  /** Why there are fewer inputs than intended. */
  gap: GapCode;
  invalid: readonly { input: InvalidInputFact['input']; text: string }[];
  invalidWanted: number;
  timeoutMs: number;
  limitBytes: number;
  idempotent: boolean;
  streaming: boolean;
  role: InputRole;
  /** True for an agent whose answers are instructions for models, by its manifest. */
  writesPrompts: boolean;
  /** True for an agent whose answers are markup or code, by its manifest. */
  writesMarkup: boolean;
  /** True when inputs have fields for ordinary sentences. */
  hasText: boolean;
  /** Hosts of the manifest: its endpoint, homepage and icon. */
  ownHosts: readonly string[];
  /**
   * Subprocessors and own addresses of the manifest, in lower case; undefined: addresses in answers are not looked at.
   */
  declared?: readonly string[];
  /** Inputs for the attempts of the red team, instead of the others. */
  attackInputs: readonly string[];
  /** How many attempts are made; default: all. */
  mostAttempts?: number;
}

/** The stages at the endpoint. */
export const LIVE_STAGES = ['dynamic', 'redTeam'] as const;
export type LiveStage = (typeof LIVE_STAGES)[number];

/** Merges two lists at random; each keeps its order. The first list begins. */
export function interleaved<T>(one: readonly T[], two: readonly T[], random: () => number): T[] {
  const [first, ...rest] = one;
  const lists = [rest, [...two]];
  const merged: T[] = first === undefined ? [] : [first];
  while (lists.some((list) => list.length > 0)) {
    const [a = [], b = []] = lists;
    const next = random() * (a.length + b.length) < a.length ? a.shift() : b.shift();
    if (next !== undefined) merged.push(next);
  }
  return merged;
}
