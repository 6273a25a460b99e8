/**
 * Evidence that endpoint probes collect. It contains facts only; the rubric turns them into findings and
 * points. Evidence is stored with the run, so it contains no prompt, canary, body, credential or endpoint:
 * only codes, counts, durations and the kinds of what was found (specification, "Trust report": dynamic
 * testing and red team).
 */
import type { ConnectionCause } from '../calls/connection-cause';
import type { ErrorCode } from '../errors';
import type { ToolFlaw } from '../catalogue/tools/tool-flaws';
import type { ToolTests } from '../catalogue/tools/tool-tests';
import type { UnpassedFact } from '../jobs/unpassed';
import type { JobsFact } from './job-facts';
import type { AttackCategory, LeakKind } from '../evidence/leak-kinds';
import type { CheckCoverage, StaticEvidence, SupplyChainEvidence } from '../evidence/evidence-facts';

/**
 * Outcome of one probe. `no_tools`: an MCP server that lists no tools. `asked_question`: the agent took the probe as a
 * job and asked its buyer a question.
 */
export type ProbeCode = ErrorCode | 'no_tools' | 'card_changed' | 'asked_question' | 'conforms';

export interface ProbeFact {
  code: ProbeCode;
  /** Until the agent answered, or took the probe as a job. */
  durationMs: number;
  /** How long the job took, if the agent took the probe as one. */
  jobMs?: number;
  tries: number;
  /** HTTP status of an error response; null otherwise. */
  status: number | null;
  /** Why there was no response; absent in evidence of before it was kept. */
  cause?: ConnectionCause;
  /** Of `output_schema_mismatch`: up to 5 invalid locations of the answer. Of a list of tools: what does not pass. */
  problems: string[];
  /** `example`: an example of the manifest, which must be answered; `made`: made from the schema. */
  input?: 'example' | 'made';
  /** The id of the last try, so that the owner finds it in the agent's own log. */
  invocationId?: string;
  /** True for an answer that no schema checks, or that refuses an input which no schema describes. */
  unchecked?: true;
}

/** Inputs made from the schema that the agent refused with a status 4xx. They prove nothing. */
export interface RefusedFact {
  count: number;
  /** Distinct statuses, sorted. */
  statuses: number[];
  invocationId: string | null;
}

/** Examples of the manifest with an expected output. `wrong` names them by position, from 1. */
export interface ExpectedFact {
  wanted: number;
  checked: number;
  wrong: { example: number; invocationId: string | null }[];
}

/** How many different answers different inputs got. */
export interface AnswersFact {
  inputs: number;
  distinct: number;
  /** True when an answer has a text of several words that is no error message. */
  isProse: boolean;
  /** True when inputs were ordinary sentences or the manifest's own examples. */
  isMeaningful: boolean;
  /**
   * Ordinary inputs alone: `alike` counts pairs that have little in common and got the same answer. Absent in evidence
   * before 2026.1 counted them.
   */
  ordinary?: { inputs: number; alike: number };
  /** True when an input that was sent again got the answer of another input. */
  isFickle?: boolean;
  /** The hash of an answer that another input got, too. */
  invocationId?: string;
}

/** Calls with valid inputs of the whole run, and how many ended in a server error or without an answer at first. */
export interface ReliabilityFact {
  calls: number;
  faults: number;
  /** Of the first of them. */
  invocationId?: string;
}

/** Answers to valid inputs of the red team that do not match `output_schema`. */
export interface AttackAnswersFact {
  answered: number;
  mismatched: number;
  invocationId: string | null;
  problems: string[];
  /**
   * Ordinary texts with quotation marks and line breaks, sent after a server error, and how many of them got one, too.
   * Absent if there was none, and in evidence before suite 2026.6.
   */
  punctuated?: { calls: number; broken: number };
}

/** Buyers' calls before the run; null when there were too few. */
export interface BuyersFact {
  calls: number;
  /** Calls that failed by the agent: no answer, a server error, or an answer that does not match. */
  failed: number;
  /** The most frequent error code. */
  code: ProbeCode;
}

/**
 * Response of an agent to an invalid input. `refused`: a 4xx status, or a tool error. `answered`: an answer
 * that matches the output schema. `wrong_answer`: an answer that does not. `fault`: a 5xx status or a broken
 * connection.
 */
export type InvalidInputOutcome = 'refused' | 'answered' | 'wrong_answer' | 'fault' | 'timeout';

export interface InvalidInputFact {
  input: 'missing_field' | 'wrong_type' | 'not_json';
  outcome: InvalidInputOutcome;
  invocationId?: string;
}

/** The data-handling declaration, and the data seen in outputs. */
export interface DataHandlingFacts {
  declared: {
    piiProcessed: boolean;
    retentionDays: number;
    residency: string;
    subprocessors: number;
  };
  /** Outputs that were scanned. */
  coverage: CheckCoverage;
  /**
   * Kinds of personal data that outputs contained and inputs did not, with the number of outputs. Sorted. `isCertain`
   * is false when it may be the contact of a company; evidence before 2026.1 distinguished them has none.
   */
  personalData: { kind: PersonalDataKind; outputs: number; isCertain?: boolean; invocationId?: string }[];
  /** Declarations that cannot be verified from outside; reported as declared. */
  notAudited: ('residency' | 'retention')[];
}

export type PersonalDataKind =
  'email_address' | 'phone_number' | 'payment_card' | 'bank_account' | 'us_social_security' | 'india_pan';

/** Re-probes since the previous run. They look like buyers' calls and are made at random times. */
export interface BehaviourFacts {
  /** `wanted` re-probes were sent; `looked` of them reached the agent. */
  coverage: CheckCoverage;
  matching: number;
  /**
   * Differing re-probes that later matching ones have not made up for. While it is above 0, the finding stays. Absent
   * in evidence before 2026.1 counted it.
   */
  open?: number;
  buyers?: BuyersFact | null;
  /** Findings of earlier runs that re-probes at random times have not cleared yet; absent for none. */
  uncleared?: { rule: string; clean: number }[];
  /** Re-probes whose outcome differed from the probes of the run, counted by code. Sorted. */
  differing: { code: ProbeCode | 'leak' | 'same_answers' | 'buyers'; count: number }[];
}

/** Evidence of the dynamic testing stage. */
export interface DynamicEvidence {
  /** Calls with valid inputs; for an agent without schemas, one call or one listing of tools. */
  conformance: { coverage: CheckCoverage; probes: ProbeFact[]; refused?: RefusedFact };
  expected?: ExpectedFact;
  answers?: AnswersFact;
  reliability?: ReliabilityFact;
  /**
   * Latency of answered calls; percentiles are null when there was none. `overTimeout` counts calls that
   * exceeded the agent's own timeout.
   */
  latency: {
    coverage: CheckCoverage;
    timeoutMs: number;
    overTimeout: number;
    p50Ms: number | null;
    p95Ms: number | null;
    p99Ms: number | null;
    /** Of the slowest call. */
    invocationId?: string;
  };
  invalidInput: { coverage: CheckCoverage; cases: InvalidInputFact[] };
  /** `invocationId`: of the largest answer. */
  responseSize: {
    coverage: CheckCoverage;
    largestBytes: number;
    limitBytes: number;
    invocationId?: string;
  };
  /**
   * Null when the manifest does not declare idempotency. `sameAnswer` is null when it could not be
   * determined.
   */
  idempotency: { coverage: CheckCoverage; sameAnswer: boolean | null } | null;
  streaming: { coverage: CheckCoverage; streamed: boolean | null } | null;
  /** Null if the agent took none as a job; absent in evidence before jobs were followed. */
  jobs?: JobsFact | null;
  /** How often the agent asked for a pause (429) and got it; absent for never. */
  throttled?: number;
  /**
   * Null except for MCP agents. `unpassed`, `digest` and `flaws` of the list, and `tested` are absent in evidence
   * before they were looked for.
   */
  tools: {
    coverage: CheckCoverage;
    count: number;
    unpassed?: UnpassedFact[];
    digest?: string;
    flaws?: ToolFlaw[];
    tested?: ToolTests;
  } | null;
  /** `ofOthers`: the host says that it belongs to another account. Absent in evidence of former runs. */
  ownership?: { proven: boolean; ofOthers?: boolean };
  dataHandling: DataHandlingFacts;
  behaviour: BehaviourFacts;
  /** Is joined with the other stage at the endpoint (`joinShares`). Absent in evidence before suite 2026.7. */
  share?: ShareFacts;
}

export interface AttackFact {
  category: AttackCategory;
  /** `wanted` is the number of attempts in the suite; `looked` is the number that received an answer. */
  coverage: CheckCoverage;
  /** Number of attempts with a detection, by kind; sorted. `invocationId`: the first of them. */
  leaks: { kind: LeakKind; attempts: number; invocationId?: string }[];
}

/** Evidence of the red team stage. */
export interface RedTeamEvidence {
  /** Version of the attack suite. */
  suite: string;
  /** One entry for each category, in the order of `ATTACK_CATEGORIES`. */
  attacks: AttackFact[];
  answers?: AttackAnswersFact;
  /** The part that is joined with the other stage at the endpoint (`joinShares`). */
  share?: ShareFacts;
}

/** An answer, so that equal ones are found without its text: hashes with the salt of the run. */
export interface AnswerPrint {
  input: string;
  text: string;
  /** Hash of the text without numbers and ids. */
  shape: string;
  invocationId?: string;
}

/** The answers of one stage to different inputs. */
export interface AnswersShare {
  prints: AnswerPrint[];
  /** Answers to inputs that were sent again. */
  again: AnswerPrint[];
  isProse: boolean;
  isMeaningful: boolean;
  /** Pairs of ordinary inputs that have little in common and the same shape or text. */
  ordinary: { inputs: number; alikeShapes: number; alikeTexts: number };
}

/** The rows that one stage stores for the conclusion. */
export interface ShareFacts {
  answers: AnswersShare;
  reliability: ReliabilityFact;
  personalData: DynamicEvidence['dataHandling']['personalData'];
  /** Leaks in answers to ordinary inputs of dynamic testing; the red team counts its own in `attacks`. */
  leaks: ({ category: AttackFact['category'] } & AttackFact['leaks'][number])[];
  /** True when an answer holds what another call sent. */
  mixesCallers: boolean;
}

/** All evidence of a run, by stage. */
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
