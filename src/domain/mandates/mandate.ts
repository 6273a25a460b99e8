/**
 * The rules of mandates (reference/protocols.md §3.2): a spend budget that an account signs for an agent, and the
 * proof with which the agent uses it for one call. Pure: signatures, hashes and the clock come from the caller, and
 * claims that are read here have been verified before.
 *
 *   open mandate   signed by a key that its issuer registered; names budget, agent, and the agent's own key (`cnf`)
 *   delegated one  signed by the key of the mandate above it, for the next agent of the chain; never wider
 *   proof          signed by the key of the last mandate, over one request; used once
 */
import { MarketError } from '../errors';
import {
  isRecord,
  isStorable,
  type MandateLimits,
  MOST_CREDITS,
  readLimits,
  refuseMandate,
  requireNarrowerLimits,
} from './mandate-limits';

export const MANDATE_TYPE = 'a2a.spend.v1';
export const OPEN_MANDATE_TYP = 'mandate+jwt';
export const PROOF_TYP = 'kb+jwt';
/** Mandates of a chain: an account's own and at most four delegations. */
export const MAX_MANDATE_DEPTH = 5;
const CLOCK_TOLERANCE_S = 60;
const MAX_LIFETIME_S = 31 * 24 * 3_600;
const MAX_JWS_CHARACTERS = 32 * 1024;

/** The request field `mandate` (REST and A2A), `_meta["io.market/mandate"]` (MCP), or the header `X-Mandate`. */
export interface PresentedMandate {
  type: typeof MANDATE_TYPE;
  /** The mandate that is used: compact JWS. */
  jws: string;
  /** The mandates above it, the account's own first. Absent when `jws` is the account's own. */
  parents?: string[];
  /** Compact JWS. Needed by everyone but the issuer itself. */
  proof?: string;
}

/** A P-256 public key as its members say it; whether it is a point of the curve is for whoever uses it. */
export interface HolderKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

export interface OpenMandate {
  /** Whose wallet pays; of a delegated mandate the agent that delegates. */
  issuer: string;
  /** Who may use it: an agent id, or the account itself. */
  subject: string;
  jti: string;
  /** Seconds since 1970, as in the JWT. */
  issuedAt: number;
  notBefore: number | null;
  expiresAt: number;
  /** The key that signs proofs and delegations; null: only the issuer itself can use the mandate. */
  holder: HolderKey | null;
  /** Base64url SHA-256 of the mandate above; null for an account's own. */
  parentHash: string | null;
  limits: MandateLimits;
}

export interface MandateProof {
  jti: string;
  maxCredits: number;
}

/** What a presented mandate must look like; the REST body is checked by its schema before. */
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

/** The chain from the account's own mandate to the one that is used; 429 when it is too long. */
export function chainOf({ parents = [], jws }: PresentedMandate): string[] {
  if (parents.length + 1 > MAX_MANDATE_DEPTH) {
    throw new MarketError('a2a_depth_exceeded', {
      message: `A chain of mandates has at most ${MAX_MANDATE_DEPTH} members.`,
      retryAfterSeconds: 1,
    });
  }
  return [...parents, jws];
}

export interface ExpectedMandate {
  /** The marketplace's own origin. */
  origin: string;
  /** Signed by a key of the mandate above instead of an account's. */
  delegated: boolean;
  nowS: number;
}

/** The `vct` of a mandate; it must match exactly. */
export function mandateVct(origin: string, delegated: boolean): string {
  return `${origin}/vct/a2a.spend.${delegated ? 'delegated' : 'open'}.1`;
}

/** Reads the verified claims of a mandate; refuses what is missing, malformed, early, expired or meant for others. */
export function readMandate(claims: unknown, expected: ExpectedMandate): OpenMandate {
  if (!isRecord(claims)) return refuseMandate('The mandate has no claims.');
  if ('_sd' in claims || '_sd_alg' in claims)
    refuseMandate('Mandates with undisclosed claims are not understood.');
  if (claims['vct'] !== mandateVct(expected.origin, expected.delegated))
    refuseMandate('The mandate has another vct.');
  if (claims['aud'] !== expected.origin) refuseMandate('The mandate is meant for another marketplace.');
  const jti = readText(claims, 'jti');
  if (!/^mdt_[A-Za-z0-9_-]{1,124}$/.test(jti))
    refuseMandate('The jti of a mandate is mdt_ and up to 124 letters and digits.');
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
  if (expiresAt - issuedAt > MAX_LIFETIME_S) refuseMandate('The mandate lives for more than 31 days.');
  return { issuedAt, expiresAt, notBefore };
}

/** Refuses a delegated mandate that the one above it does not carry: other hands, other time, wider limits. */
export function requireDelegation(parent: OpenMandate, child: OpenMandate, parentHash: string): void {
  if (child.parentHash !== parentHash) refuseMandate('A delegated mandate names another mandate above it.');
  if (child.issuer !== parent.subject)
    refuseMandate('A delegated mandate was not issued by the holder of the one above.');
  const starts = ({ notBefore, issuedAt }: OpenMandate) => notBefore ?? issuedAt;
  if (child.expiresAt > parent.expiresAt || starts(child) < starts(parent)) {
    refuseMandate('A delegated mandate is valid longer than the mandate above it.');
  }
  requireNarrowerLimits(parent.limits, child.limits);
}

/** Refuses a call of an agent that one of these mandates does not allow. */
export function requirePayee(chain: readonly OpenMandate[], agentId: string): void {
  if (chain.some(({ limits }) => limits.payees !== null && !limits.payees.includes(agentId))) {
    refuseMandate('The mandate does not allow calls of this agent.');
  }
}

export interface ExpectedProof {
  origin: string;
  /** The agent that is called. */
  agentId: string;
  mandate: OpenMandate;
  /** Base64url SHA-256 of the mandate's JWS. */
  mandateHash: string;
  /** Base64url SHA-256 of the canonical JSON of `{agent_id, idempotency_key, input}`. */
  requestHash: string;
  nowS: number;
}

/** Reads the verified claims of a proof; refuses one that was made for another request, mandate or agent. */
export function readProof(claims: unknown, expected: ExpectedProof): MandateProof {
  if (!isRecord(claims)) return refuseMandate('The proof has no claims.');
  if (claims['aud'] !== `${expected.origin}/v1/a2a/${expected.agentId}`)
    refuseMandate('The proof is for another agent.');
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

function readHolder(cnf: unknown): HolderKey | null {
  if (cnf === undefined) return null;
  const jwk = isRecord(cnf) ? cnf['jwk'] : undefined;
  if (!isRecord(jwk) || 'd' in jwk) return refuseMandate('cnf needs a public key: {"jwk": …}.');
  const { kty, crv, x, y } = jwk;
  if (kty !== 'EC' || crv !== 'P-256' || !isCoordinate(x) || !isCoordinate(y)) {
    return refuseMandate('cnf needs a key of P-256.');
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

/** Seconds since 1970; a fraction is allowed, as NumericDate allows it. */
function readTime(claims: Record<string, unknown>, name: string): number {
  const value = claims[name];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > 253_402_300_799) {
    return refuseMandate(`The claim ${name} is missing or not a time in seconds.`);
  }
  return value;
}
