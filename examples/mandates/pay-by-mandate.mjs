/**
 * An agent spends another account's credits under a mandate. Run node examples/mandates/pay-by-mandate.mjs while `npm
 * start` is running.
 *
 * The buyer of the local stack signs a mandate over 20 credits. Another account, without access to the buyer's
 * wallet, calls an agent with it. The example uses only Node's own cryptography; any JOSE library works as well.
 */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const runtime = JSON.parse(
  readFileSync(path.join(process.env.MARKET_HOME ?? '.market', 'runtime.json'), 'utf8'),
);
const origin = runtime.api_url;
const agentId = 'agt_html_to_markdown_v1';
const input = { html: '<article><h1>Salt</h1><p>Salt is <b>sodium chloride</b>.</p></article>' };

const base64 = (value) => Buffer.from(value).toString('base64url');
const hash = (text) => createHash('sha256').update(text).digest('base64url');

/** Serializes by RFC 8785; only for objects whose names are not integers. */
const canonical = (value) =>
  JSON.stringify(value, (_name, member) =>
    member && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' });
  return { privateKey, jwk: { crv, kty, x, y }, kid: hash(JSON.stringify({ crv, kty, x, y })) };
}

function jws(header, claims, { privateKey }) {
  const text = `${base64(JSON.stringify({ alg: 'ES256', ...header }))}.${base64(JSON.stringify(claims))}`;
  const mark = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${base64(mark)}`;
}

async function request(method, where, body, cookie) {
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(cookie && { cookie }) };
  const response = await fetch(origin + where, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${JSON.stringify(answer.error)}`);
  return { answer, cookie: response.headers.getSetCookie()[0]?.split(';')[0] };
}

async function logIn(account) {
  const { answer, cookie } = await request('POST', '/v1/auth/login', account);
  return { userId: answer.user_id, cookie };
}

const issuer = await logIn(runtime.accounts.buyer);
const caller = await logIn(runtime.accounts.developer);

// 1. The account registers a public key. Anyone who has the private key can spend the account's wallet.
const accountKey = newKey();
await request('POST', '/v1/mandate-keys', { jwk: accountKey.jwk, name: 'example' }, issuer.cookie);

// 2. The account signs a mandate for the holder of the agent's key.
const agentKey = newKey();
const now = Math.floor(Date.now() / 1000);
const mandateId = `mdt_${randomUUID()}`;
const mandate = jws(
  { typ: 'mandate+jwt', kid: accountKey.kid },
  {
    iss: issuer.userId,
    sub: issuer.userId,
    aud: origin,
    jti: mandateId,
    iat: now,
    nbf: now,
    exp: now + 24 * 3600,
    vct: `${origin}/vct/a2a.spend.open.1`,
    cnf: { jwk: agentKey.jwk },
    constraints: [
      { type: 'market.credit_budget', max_credits: 20 },
      { type: 'market.credits_per_call', max_credits: 5 },
      { type: 'payment.agent_recurrence', frequency: 'ON_DEMAND', max_occurrences: 10 },
      { type: 'payment.allowed_payees', allowed: [{ id: agentId, name: 'HTML to Markdown' }] },
    ],
  },
  accountKey,
);

// 3. The agent proves, for this one request, that it holds the key that the mandate names.
const proof = jws(
  { typ: 'kb+jwt' },
  {
    aud: `${origin}/v1/a2a/${agentId}`,
    iat: now,
    jti: randomUUID(),
    mandate_hash: hash(mandate),
    request_hash: hash(canonical({ agent_id: agentId, input, idempotency_key: null })),
    max_credits: 5,
  },
  agentKey,
);

// 4. The agent calls with its own account; the issuer pays.
const call = { input, mandate: { type: 'a2a.spend.v1', jws: mandate, proof } };
const { answer } = await request('POST', `/v1/agents/${agentId}/invoke`, call, caller.cookie);
console.log('answer', answer.output, 'for', answer.usage.credits_charged, 'credits');

const { answer: standing } = await request('GET', `/v1/mandates/${mandateId}`, undefined, issuer.cookie);
console.log(`spent ${standing.spent_credits} of ${standing.max_credits} credits of ${standing.mandate_id}`);

// 5. The same proof is refused a second time, because a proof is valid for one call.
await request('POST', `/v1/agents/${agentId}/invoke`, call, caller.cookie).catch((error) =>
  console.log('again:', error.message),
);

// 6. The account removes the key, which revokes every mandate that it signed.
await fetch(`${origin}/v1/mandate-keys/${accountKey.kid}`, {
  method: 'DELETE',
  headers: { cookie: issuer.cookie },
});
