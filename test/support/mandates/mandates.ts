/** Mandates as an account and its agents make them, with an independent library: jose. */
import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { TestMarket, TestUser } from '../market';
import { request } from '../catalogue/publishing';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
type Claims = Record<string, unknown>;

export interface Signer {
  privateKey: PrivateKey;
  jwk: { kty: string; crv: string; x: string; y: string };
  kid: string;
}

export async function newSigner(): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const { kty = '', crv = '', x = '', y = '' } = await exportJWK(publicKey);
  const jwk = { kty, crv, x, y };
  return { privateKey, jwk, kid: await calculateJwkThumbprint(jwk) };
}

/** A new key of an account, registered as its owner would. */
export async function registerSigner(market: Pick<TestMarket, 'url'>, owner: TestUser): Promise<Signer> {
  const signer = await newSigner();
  const reply = await request(market, owner, 'POST', '/v1/mandate-keys', { jwk: signer.jwk });
  if (reply.status !== 201) throw new Error(`mandate key: ${reply.status} ${JSON.stringify(reply.body)}`);
  return signer;
}

export const budget = (credits: number) => ({ type: 'market.credit_budget', max_credits: credits });
export const perCall = (credits: number) => ({ type: 'market.credits_per_call', max_credits: credits });
export const times = (count: number) => ({
  type: 'payment.agent_recurrence',
  frequency: 'ON_DEMAND',
  max_occurrences: count,
});
export const payees = (...ids: string[]) => ({
  type: 'payment.allowed_payees',
  allowed: ids.map((id) => ({ id, name: `The agent ${id}` })),
});

export interface MandateOptions {
  issuer: string;
  subject: string;
  signer: Signer;
  /** The agent whose key signs proofs and delegations. */
  holder?: Signer;
  constraints?: unknown;
  /** The mandate above, of a delegated one. */
  parent?: string;
  /** Instead of what they would be; undefined leaves them out. */
  claims?: Claims;
  header?: Claims;
  now?: number;
}

export const newJti = () => `mdt_${randomUUID()}`;
export const nowS = () => Math.floor(Date.now() / 1_000);

export function signMandate(market: Pick<TestMarket, 'config'>, options: MandateOptions): Promise<string> {
  const origin = market.config.PUBLIC_ORIGIN;
  const now = options.now ?? nowS();
  const claims = {
    iss: options.issuer,
    sub: options.subject,
    aud: origin,
    jti: newJti(),
    iat: now,
    nbf: now,
    exp: now + 3_600,
    vct: `${origin}/vct/a2a.spend.${options.parent === undefined ? 'open' : 'delegated'}.1`,
    ...(options.parent !== undefined && { parent_hash: base64Hash(options.parent) }),
    ...(options.holder && { cnf: { jwk: options.holder.jwk } }),
    constraints: options.constraints ?? [budget(100)],
    ...options.claims,
  };
  return signClaims(claims, options.signer, {
    alg: 'ES256',
    typ: 'mandate+jwt',
    kid: options.signer.kid,
    ...options.header,
  });
}

export interface ProofOptions {
  /** The mandate that is used. */
  jws: string;
  holder: Signer;
  agentId: string;
  input: unknown;
  idempotencyKey?: string;
  maxCredits?: number;
  claims?: Claims;
  header?: Claims;
}

export function signProof(market: Pick<TestMarket, 'config'>, options: ProofOptions): Promise<string> {
  const { agentId, input, idempotencyKey = null } = options;
  const claims = {
    aud: `${market.config.PUBLIC_ORIGIN}/v1/a2a/${agentId}`,
    iat: nowS(),
    jti: randomUUID(),
    mandate_hash: base64Hash(options.jws),
    request_hash: base64Hash(jcs({ agent_id: agentId, input, idempotency_key: idempotencyKey })),
    max_credits: options.maxCredits ?? 1_000,
    ...options.claims,
  };
  return signClaims(claims, options.holder, { alg: 'ES256', typ: 'kb+jwt', ...options.header });
}

function signClaims(claims: Claims, signer: Signer, header: Claims): Promise<string> {
  return new SignJWT(withoutUndefined(claims))
    .setProtectedHeader(withoutUndefined(header) as { alg: string })
    .sign(signer.privateKey);
}

function withoutUndefined(record: Claims): Claims {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

export function base64Hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** RFC 8785, as far as these tests need it: no names that are integers. */
function jcs(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

export interface MandateView {
  mandate_id: string;
  jti: string;
  parent_mandate_id: string | null;
  depth: number;
  status: string;
  max_credits: number;
  spent_credits: number;
  reserved_credits: number;
  remaining_credits: number;
  occurrences: number;
  allowed_payees: string[] | null;
  revoked_at: string | null;
}

export async function readMandate(
  market: Pick<TestMarket, 'url'>,
  owner: TestUser,
  id: string,
): Promise<MandateView> {
  const reply = await request<MandateView & Record<string, unknown>>(
    market,
    owner,
    'GET',
    `/v1/mandates/${id}`,
  );
  if (reply.status !== 200) throw new Error(`mandate: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** The claims of a JWS, unverified. */
export function claimsOf(jws: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8')) as Claims;
}
