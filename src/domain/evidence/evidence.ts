/**
 * The receipt of a finished call (contract, "Evidence"): what the agent offered, what the buyer authorized,
 * and what was returned. Every value is fixed when the call ends. A later dispute has its own record and does
 * not change the receipt.
 */
import type { ErrorCode } from '../errors';
import type { Pricing } from '../catalogue/manifest';
import type { Truncation } from '../catalogue/truncation';

export interface EvidenceTerms {
  offer: {
    version: string;
    /** The price of the call: that of the version, or the one before it until a rise counted. */
    price: Pricing;
    /** SHA-256 of the canonical JSON of the version's manifest, with defaults filled in. */
    manifest_sha256: string;
    /** The quote by which the call was made; absent without one. */
    quote_id?: string;
  };
  authorisation: {
    /** The buyer's ceiling; null when the call set none. */
    max_cost_credits: number | null;
    /** `jti` of the root mandate that paid; absent when the buyer paid directly. */
    mandate_jti?: string;
    /** SHA-256 of the canonical JSON of the tests that the caller set for the answer; absent without any. */
    accept_sha256?: string;
    /** The buyer's own pairs on the call; absent without any. */
    metadata?: Readonly<Record<string, string>>;
  };
  receipt: {
    /**
     * SHA-256 of the canonical JSON of the input, or of the raw bytes when the body was passed on verbatim.
     */
    input_sha256: string;
    /**
     * SHA-256 of the canonical JSON of the output, or of the raw bytes when the output is not JSON; null for
     * a failed call.
     */
    output_sha256: string | null;
    /** What the agent asked the buyer during the job, and what was answered, in order; absent without answers. */
    answers?: AnsweredQuestion[];
    /** Whether the answer matched the output schema; null when it was not checked. */
    schema_valid: boolean | null;
    /** Whether the answer passed the tests of the caller; null when it was not tested, absent without tests. */
    accept_passed?: boolean | null;
    /** What the call cost when it ended, in credits. */
    credits_charged: number;
    /** What ended a streamed answer early; null for a whole answer. The output hash covers what was delivered. */
    truncated_by: Truncation | null;
    /**
     * Ledger transactions of the call in order: the hold, then the charge or refund; empty for a free call.
     */
    ledger: string[];
  };
}

/** A question of a job that its buyer has answered. The hashes are SHA-256 of canonical JSON. */
export interface AnsweredQuestion {
  question_id: string;
  /** Of the prompt and the schema. */
  question_sha256: string;
  answer_sha256: string;
}

/** The terms, and a compact JWS whose payload is their canonical JSON. */
export interface Evidence extends EvidenceTerms {
  signature: string;
}

/** The database rows of a finished call from which its receipt is built. */
export interface EvidenceFacts {
  version: string;
  pricing: Pricing;
  manifestSha256: string;
  /** Null for a call without a quote. */
  quoteId: string | null;
  maxCostCredits: number | null;
  mandateJti: string | null;
  /** The tests of the caller, and how they ended; null without any. */
  acceptance: { sha256: string; passed: boolean | null } | null;
  /** Null without any. */
  metadata: Readonly<Record<string, string>> | null;
  inputSha256: string;
  outputSha256: string | null;
  /** What was captured when the call ended; a later refund does not change it. */
  chargedCredits: number;
  truncatedBy: Truncation | null;
  errorCode: ErrorCode | null;
  /** False for agents without schemas. */
  hasSchemas: boolean;
  transactionIds: string[];
  /** Null for a call without answered questions. */
  answers: AnsweredQuestion[] | null;
}

/** Builds the receipt. */
export function evidenceTerms(facts: EvidenceFacts): EvidenceTerms {
  return {
    offer: {
      version: facts.version,
      price: facts.pricing,
      manifest_sha256: facts.manifestSha256,
      ...(facts.quoteId !== null && { quote_id: facts.quoteId }),
    },
    authorisation: {
      max_cost_credits: facts.maxCostCredits,
      ...(facts.mandateJti !== null && { mandate_jti: facts.mandateJti }),
      ...(facts.acceptance && { accept_sha256: facts.acceptance.sha256 }),
      ...(facts.metadata && { metadata: facts.metadata }),
    },
    receipt: {
      input_sha256: facts.inputSha256,
      output_sha256: facts.outputSha256,
      ...(facts.answers && { answers: facts.answers }),
      schema_valid: schemaValid(facts),
      ...(facts.acceptance && { accept_passed: facts.acceptance.passed }),
      credits_charged: facts.chargedCredits,
      truncated_by: facts.truncatedBy,
      ledger: facts.transactionIds,
    },
  };
}

/**
 * An output hash exists only for a settled call, whose answer matched the schema unless it was truncated;
 * `output_schema_mismatch` occurs only for an answer that was read.
 */
function schemaValid({ outputSha256, errorCode, hasSchemas, truncatedBy }: EvidenceFacts): boolean | null {
  if (outputSha256 !== null) return hasSchemas && truncatedBy === null ? true : null;
  if (errorCode === 'acceptance_failed' && hasSchemas) return true;
  return errorCode === 'output_schema_mismatch' ? false : null;
}
