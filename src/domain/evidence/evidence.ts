/**
 * What a receipt of a finished call says (contract, "Evidence"): what was offered, what the buyer allowed, what came
 * back. Everything in it is fixed when the call ends; a later dispute has its own record and changes no receipt.
 */
import type { ErrorCode } from '../errors';
import type { Pricing } from '../catalogue/manifest';

export interface EvidenceTerms {
  offer: {
    version: string;
    /** The pricing of the version's manifest. */
    price: Pricing;
    /** Of the canonical JSON of the version's manifest, defaults filled in. */
    manifest_sha256: string;
  };
  authorisation: {
    /** The buyer's ceiling; null when the call named none. */
    max_cost_credits: number | null;
    /** The `jti` of the account's own mandate that paid; absent when the buyer called as itself. */
    mandate_jti?: string;
  };
  receipt: {
    /** Of the canonical JSON of the input; of the bytes of a body that was passed on verbatim. */
    input_sha256: string;
    /** Of the canonical JSON of the output, of the agent's bytes when they are no JSON; null for a call that failed. */
    output_sha256: string | null;
    /** Did the answer match the output schema? Null when no answer was held against it. */
    schema_valid: boolean | null;
    /** The transactions of the call in order: its hold, then its charge or its refund; empty for a free call. */
    ledger: string[];
  };
}

/** Terms with the compact JWS whose payload is their canonical JSON. */
export interface Evidence extends EvidenceTerms {
  signature: string;
}

/** What the rows say of a call that is over. */
export interface EvidenceFacts {
  version: string;
  pricing: Pricing;
  manifestSha256: string;
  maxCostCredits: number | null;
  mandateJti: string | null;
  inputSha256: string;
  outputSha256: string | null;
  errorCode: ErrorCode | null;
  /** Self-hosted agents have no schemas. */
  hasSchemas: boolean;
  transactionIds: string[];
}

export function evidenceTerms(facts: EvidenceFacts): EvidenceTerms {
  return {
    offer: { version: facts.version, price: facts.pricing, manifest_sha256: facts.manifestSha256 },
    authorisation: {
      max_cost_credits: facts.maxCostCredits,
      ...(facts.mandateJti !== null && { mandate_jti: facts.mandateJti }),
    },
    receipt: {
      input_sha256: facts.inputSha256,
      output_sha256: facts.outputSha256,
      schema_valid: schemaValid(facts),
      ledger: facts.transactionIds,
    },
  };
}

/** Only an answer that matched was settled, and only an answer that was read can have failed to match. */
function schemaValid({ outputSha256, errorCode, hasSchemas }: EvidenceFacts): boolean | null {
  if (outputSha256 !== null) return hasSchemas ? true : null;
  return errorCode === 'output_schema_mismatch' ? false : null;
}
