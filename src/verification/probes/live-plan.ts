import type { GapCode } from '../../domain/evidence/evidence-facts';
import type { InputRole } from '../../domain/catalogue/input-role';
import type { InvalidInputFact } from '../../domain/verification/probe-facts';
import type { ExpectedOutput } from './expected-output';

/** What a pass over an agent sends (`live-testing.ts`). */
export interface LivePlan {
  /** Examples of the manifest, all of which must be answered. */
  examples: readonly { text: string; expected: ExpectedOutput | null }[];
  /** Inputs made from the schema; a refused one is replaced by the next. */
  made: readonly string[];
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
  /** True when inputs have fields for ordinary sentences. */
  hasText: boolean;
  /** Hosts of the manifest: its endpoint, homepage and icon. */
  ownHosts: readonly string[];
  /** Subprocessors and own addresses of the manifest, in lower case; undefined: addresses in answers are not looked at. */
  declared?: readonly string[];
  /** Inputs for the attempts of the red team, instead of the others. */
  attackInputs: readonly string[];
  /** How many attempts are made; default: all. */
  mostAttempts?: number;
}
