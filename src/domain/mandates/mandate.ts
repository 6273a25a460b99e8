/**
 * Rules of spend mandates: a budget that an account signs for an agent, and the proof with which the agent
 * spends from it for one call. The functions are pure: the caller supplies hashes and the time, and verifies
 * signatures before it passes claims.
 *
 * - Open mandate: signed by a key that its issuer registered. It names the budget, the agent, and the agent's
 *   own key (`cnf`).
 * - Delegated mandate: signed by the key of its parent mandate, for the next agent of the chain. It is never
 *   wider than its parent.
 * - Proof: signed by the key of the last mandate, over one request. It can be used once.
 */
import { MarketError } from '../errors';
import {
  type MandateLimits,
  MOST_CREDITS,
  readLimits,
  refuseMandate,
  requireNarrowerLimits,
} from './mandate-limits';
import { isRecord, isStorable } from '../json-value';

export const MANDATE_TYPE = 'a2a.spend.v1';
export const OPEN_MANDATE_TYP = 'mandate+jwt';
export const PROOF_TYP = 'kb+jwt';
/** Maximum length of a chain of mandates: the account's own and four delegations. */
export const MAX_MANDATE_DEPTH = 5;
const CLOCK_TOLERANCE_S = 60;
const MAX_LIFETIME_S = 31 * 24 * 3_600;
const MAX_JWS_CHARACTERS = 32 * 1024;

/**
 * A mandate as a request presents it: in the field `mandate` (REST and A2A), in `_meta["io.market/mandate"]`
 * (MCP), or in the header `X-Mandate`.
 */
export interface PresentedMandate {
  type: typeof MANDATE_TYPE;
  /** The mandate to use, as a compact JWS. */
  jws: string;
  /** The parent mandates, root first. Absent when `jws` is the root mandate. */
  parents?: string[];
  /** Compact JWS. Required unless the caller is the issuer. */
  proof?: string;
}

/** A P-256 public key in JWK form. Only the form is checked here, not that the point is on the curve. */
export interface HolderKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/** A mandate whose claims have been read. */
export interface OpenMandate {
  /** The account whose wallet pays; for a delegated mandate, the agent that delegates. */
  issuer: string;
  /** Who may use the mandate: an agent id, or the account itself. */
  subject: string;
  jti: string;
  /** Seconds since 1970, as in the JWT. */
  issuedAt: number;
  notBefore: number | null;
  expiresAt: number;
  /** The key that signs proofs and delegations; null when only the issuer can use the mandate. */
  holder: HolderKey | null;
  /** Base64url SHA-256 of the parent mandate; null for a root mandate. */
  parentHash: string | null;
  limits: MandateLimits;
}

export interface MandateProof {
  jti: string;
  maxCredits: number;
}

/**
 * Reads a presented mandate. Throws `mandate_invalid` when it is malformed. REST bodies have already been
 * validated by their schema.
 */
export function readPresented(value: unknown): PresentedMandate {
  if (!isRecord(value) || value['type'] !== MANDATE_TYPE)
    refuseMandate(`The mandate is not of type ${MANDATE_TYPE}.`);
  const { type: _type, jws, proof, parents = [], ...rest } = value;
  const isJws = (text: unknown): text is string =>
    typeof text === 'string' && text.length <= MAX_JWS_CHARACTERS;
  if (
    !isJws(jws) ||
    !(proof === undefined || isJws(proof)) ||
    !Array.isArray(parents) ||
    !parents.every(isJws)
  ) {
    refuseMandate('The mandate is not of the form {type, jws, proof?, parents?}.');
  }
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined)
    refuseMandate(`The mandate has the unknown member ${JSON.stringify(unknown.slice(0, 60))}.`);
  return { type: MANDATE_TYPE, jws, parents, ...(proof !== undefined && { proof }) };
}

/**
 * The chain from the root mandate to the one used. Throws `a2a_depth_exceeded` (429) when the chain is too
 * long.
 */
export function chainOf({ parents = [], jws }: PresentedMandate): string[] {
  if (parents.length + 1 > MAX_MANDATE_DEPTH) {
    throw new MarketError('a2a_depth_exceeded', {
      message: `A chain of mandates can have at most ${MAX_MANDATE_DEPTH} members.`,
      retryAfterSeconds: 1,
    });
  }
  return [...parents, jws];
}

export interface ExpectedMandate {
  /** The marketplace's public base URL. */
  origin: string;
  /** True for a delegated mandate: signed by its parent's holder key instead of an account's key. */
  delegated: boolean;
  nowS: number;
}

/** The `vct` claim that a mandate must have. */
export function mandateVct(origin: string, delegated: boolean): string {
  return `${origin}/vct/a2a.spend.${delegated ? 'delegated' : 'open'}.1`;
}

/**
 * Reads the verified claims of a mandate. Throws `mandate_invalid` when a claim is missing or malformed, or
 * when the mandate is not yet valid, expired, or for another audience.
 */
export function readMandate(claims: unknown, expected: ExpectedMandate): OpenMandate {
  if (!isRecord(claims)) return refuseMandate('The mandate has no claims.');
  if ('_sd' in claims || '_sd_alg' in claims)
    refuseMandate('Mandates with selectively disclosable claims are not supported.');
  if (claims['vct'] !== mandateVct(expected.origin, expected.delegated))
    refuseMandate(`The vct of the mandate is not ${mandateVct(expected.origin, expected.delegated)}.`);
  if (!isAudience(claims['aud'], expected.origin))
    refuseMandate(`The mandate is meant for another marketplace: its aud does not name ${expected.origin}.`);
  const jti = readText(claims, 'jti');
  if (!/^mdt_[A-Za-z0-9_-]{1,124}$/.test(jti))
    refuseMandate('The jti of a mandate must be mdt_ followed by 1 to 124 letters, digits, _ or -.');
  const mandate: OpenMandate = {
    issuer: readText(claims, 'iss'),
    subject: readText(claims, 'sub'),
    jti,
    ...readTimes(claims, expected.nowS),
    holder: readHolder(claims['cnf']),
    parentHash: expected.delegated ? readText(claims, 'parent_hash') : null,
    limits: readLimits(claims['constraints']),
  };
  return mandate;
}

function readTimes(claims: Record<string, unknown>, nowS: number) {
  const issuedAt = readTime(claims, 'iat');
  const expiresAt = readTime(claims, 'exp');
  const notBefore = claims['nbf'] === undefined ? null : readTime(claims, 'nbf');
  if (issuedAt > nowS + CLOCK_TOLERANCE_S) refuseMandate('The mandate was issued in the future.');
  if (notBefore !== null && notBefore > nowS + CLOCK_TOLERANCE_S)
    refuseMandate('The mandate is not valid yet.');
  if (expiresAt <= nowS - CLOCK_TOLERANCE_S) refuseMandate('The mandate has expired.');
  if (expiresAt <= issuedAt) refuseMandate('The mandate expires before it was issued.');
  if (expiresAt - issuedAt > MAX_LIFETIME_S)
    refuseMandate('The mandate is valid for more than 31 days; shorten its lifetime.');
  return { issuedAt, expiresAt, notBefore };
}

/**
 * Throws `mandate_invalid` unless `child` is a valid delegation of `parent`: same hash, issued by the
 * parent's subject, not valid longer, and not wider.
 */
export function requireDelegation(parent: OpenMandate, child: OpenMandate, parentHash: string): void {
  if (child.parentHash !== parentHash)
    refuseMandate('The parent_hash of a delegated mandate does not match its parent mandate.');
  if (child.issuer !== parent.subject)
    refuseMandate('The issuer of a delegated mandate is not the subject of its parent mandate.');
  const starts = ({ notBefore, issuedAt }: OpenMandate) => notBefore ?? issuedAt;
  if (child.expiresAt > parent.expiresAt || starts(child) < starts(parent)) {
    refuseMandate('A delegated mandate is valid outside the validity period of its parent mandate.');
  }
  requireNarrowerLimits(parent.limits, child.limits);
}

/** Throws `mandate_invalid` when a mandate of the chain does not allow calls of this agent. */
export function requirePayee(chain: readonly OpenMandate[], agentId: string): void {
  if (chain.some(({ limits }) => limits.payees !== null && !limits.payees.includes(agentId))) {
    refuseMandate('The mandate does not allow calls of this agent.');
  }
}

export interface ExpectedProof {
  origin: string;
  /** The agent to be called. */
  agentId: string;
  mandate: OpenMandate;
  /** Base64url SHA-256 of the mandate's JWS. */
  mandateHash: string;
  /** Base64url SHA-256 of the canonical JSON of `{agent_id, idempotency_key, input}`. */
  requestHash: string;
  nowS: number;
}

/**
 * Reads the verified claims of a proof. Throws `mandate_invalid` when the proof was made for another request,
 * mandate or agent.
 */
export function readProof(claims: unknown, expected: ExpectedProof): MandateProof {
  if (!isRecord(claims)) return refuseMandate('The proof has no claims.');
  const audience = `${expected.origin}/v1/a2a/${expected.agentId}`;
  if (!isAudience(claims['aud'], audience))
    refuseMandate(`The proof is for another agent: its aud does not name ${audience}.`);
  if (claims['mandate_hash'] !== expected.mandateHash) refuseMandate('The proof is for another mandate.');
  if (claims['request_hash'] !== expected.requestHash) refuseMandate('The proof is for another request.');
  const issuedAt = readTime(claims, 'iat');
  if (issuedAt > expected.nowS + CLOCK_TOLERANCE_S) refuseMandate('The proof was made in the future.');
  if (issuedAt < expected.mandate.issuedAt - CLOCK_TOLERANCE_S)
    refuseMandate('The proof is older than its mandate.');
  if (claims['exp'] !== undefined && readTime(claims, 'exp') <= expected.nowS - CLOCK_TOLERANCE_S) {
    refuseMandate('The proof has expired.');
  }
  const maxCredits = claims['max_credits'];
  if (typeof maxCredits !== 'number' || !Number.isSafeInteger(maxCredits) || maxCredits < 0) {
    return refuseMandate('The proof needs max_credits, a whole number.');
  }
  return { jti: readText(claims, 'jti'), maxCredits: Math.min(maxCredits, MOST_CREDITS) };
}

/** RFC 7519 §4.1.3: `aud` is one text, or a list of them that contains the recipient. A slash at the end is ignored. */
function isAudience(aud: unknown, recipient: string): boolean {
  const all: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!all.every((one) => typeof one === 'string')) return false;
  return all.some((one) => one === recipient || one === `${recipient}/`);
}

function readHolder(cnf: unknown): HolderKey | null {
  if (cnf === undefined) return null;
  const jwk = isRecord(cnf) ? cnf['jwk'] : undefined;
  if (!isRecord(jwk) || 'd' in jwk) return refuseMandate('cnf must hold a public key: {"jwk": …}.');
  const { kty, crv, x, y } = jwk;
  if (kty !== 'EC' || crv !== 'P-256' || !isCoordinate(x) || !isCoordinate(y)) {
    return refuseMandate('cnf must hold an EC key on the curve P-256.');
  }
  return { kty, crv, x, y };
}

/** 32 bytes in base64url. */
function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value);
}

function readText(claims: Record<string, unknown>, name: string): string {
  const value = claims[name];
  if (typeof value !== 'string' || value === '' || value.length > 256 || !isStorable(value)) {
    return refuseMandate(`The claim ${name} is missing or not a text of 1 to 256 characters.`);
  }
  return value;
}

/** Reads a NumericDate claim: seconds since 1970, fractions allowed. */
function readTime(claims: Record<string, unknown>, name: string): number {
  const value = claims[name];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > 253_402_300_799) {
    return refuseMandate(`The claim ${name} is missing or not a time in seconds.`);
  }
  return value;
}
