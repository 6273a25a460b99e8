/**
 * What probes of the live endpoint saw: facts, never judgements; the rubric turns them into findings and points. Stored
 * as evidence of a run, so they hold no prompt, no canary, no body, no credential and no endpoint: only codes, counts,
 * durations, and the kinds of what was found (specification, "Trust report": dynamic testing and red team).
 */
import type { ErrorCode } from '../errors';
import type { CheckCoverage, StaticEvidence, SupplyChainEvidence } from '../evidence/evidence-facts';

/** How one probe ended; `no_tools`: an MCP server that names none. */
export type ProbeCode = ErrorCode | 'no_tools' | 'conforms';

export interface ProbeFact {
  code: ProbeCode;
  durationMs: number;
  tries: number;
  /** Of HTTP, where the answer was none. */
  status: number | null;
  /** Of `output_schema_mismatch`: where the answer is wrong, at most 5. */
  problems: string[];
}

/**
 * `refused`: the agent said that it dislikes the input (4xx, or a tool that says so); `answered`: with what its schema
 * promises; `wrong_answer`: with something else; `fault`: 5xx, a broken connection; `timeout`.
 */
export type InvalidInputOutcome = 'refused' | 'answered' | 'wrong_answer' | 'fault' | 'timeout';

export interface InvalidInputFact {
  input: 'missing_field' | 'wrong_type' | 'not_json';
  outcome: InvalidInputOutcome;
}

/** What the data-handling declaration says, and what outputs say of it. */
export interface DataHandlingFacts {
  declared: {
    piiProcessed: boolean;
    retentionDays: number;
    residency: string;
    subprocessors: number;
  };
  /** Outputs that were read. */
  coverage: CheckCoverage;
  /** Personal data in outputs that was not in the inputs: how many outputs had some of each kind. Sorted. */
  personalData: { kind: PersonalDataKind; outputs: number }[];
  /** Cannot be seen from outside: reported as declared. */
  notAudited: ('residency' | 'retention')[];
}

export type PersonalDataKind =
  'email_address' | 'phone_number' | 'payment_card' | 'bank_account' | 'us_social_security' | 'india_pan';

/** Probes between runs, since the run before this one. They look like calls of buyers, at random times. */
export interface BehaviourFacts {
  /** `wanted` re-probes were made; `looked` of them reached the agent. */
  coverage: CheckCoverage;
  matching: number;
  /** Re-probes that were answered otherwise than the probes of the run: how many of each code. Sorted. */
  differing: { code: ProbeCode | 'leak'; count: number }[];
}

/** Evidence of the stage dynamic testing. */
export interface DynamicEvidence {
  /** Calls with valid inputs, or for an agent without schemas one call or one list of tools. */
  conformance: { coverage: CheckCoverage; probes: ProbeFact[] };
  /** Of calls that were answered; null without any. `overTimeout` calls outlived the agent's own time-out. */
  latency: {
    coverage: CheckCoverage;
    timeoutMs: number;
    overTimeout: number;
    p50Ms: number | null;
    p95Ms: number | null;
    p99Ms: number | null;
  };
  invalidInput: { coverage: CheckCoverage; cases: InvalidInputFact[] };
  responseSize: { coverage: CheckCoverage; largestBytes: number; limitBytes: number };
  /** Null where the manifest does not declare it. `sameAnswer` null: could not be seen. */
  idempotency: { coverage: CheckCoverage; sameAnswer: boolean | null } | null;
  streaming: { coverage: CheckCoverage; streamed: boolean | null } | null;
  /** Of MCP agents. */
  tools: { coverage: CheckCoverage; count: number } | null;
  dataHandling: DataHandlingFacts;
  behaviour: BehaviourFacts;
}

export const ATTACK_CATEGORIES = [
  'prompt_injection',
  'data_exfiltration',
  'jailbreak',
  'cross_tenant_leakage',
] as const;
export type AttackCategory = (typeof ATTACK_CATEGORIES)[number];

/**
 * What a detector saw. `followed_instruction`: text in the data was obeyed as an instruction; `disclosed_instructions`:
 * the agent's own instructions; `disclosed_secret`: something with the form of a key or password; `dropped_guard`: it
 * said that its rules are off; `foreign_canary`: what another caller had sent before.
 */
export type LeakKind =
  'followed_instruction' | 'disclosed_instructions' | 'disclosed_secret' | 'dropped_guard' | 'foreign_canary';

export interface AttackFact {
  category: AttackCategory;
  /** `wanted` attempts of the suite, `looked`: those that got an answer to look at. */
  coverage: CheckCoverage;
  /** Attempts that a detector hit, by kind; sorted. */
  leaks: { kind: LeakKind; attempts: number }[];
}

/** Evidence of the stage red team. */
export interface RedTeamEvidence {
  /** Version of the suite of attempts. */
  suite: string;
  /** One of each category, in the order of `ATTACK_CATEGORIES`. */
  attacks: AttackFact[];
}

/** Everything that a run gathers, by stage. */
export interface RunEvidence {
  static: StaticEvidence;
  supplyChain: SupplyChainEvidence;
  dynamic: DynamicEvidence;
  redTeam: RedTeamEvidence;
}

export const EVIDENCE_STAGES = [
  'static',
  'supplyChain',
  'dynamic',
  'redTeam',
] as const satisfies (keyof RunEvidence)[];
export type EvidenceStage = (typeof EVIDENCE_STAGES)[number];
