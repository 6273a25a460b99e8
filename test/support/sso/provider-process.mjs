/**
 * An OpenID provider (oidc-provider) in a process of its own, behind the TLS of `identity-provider.ts`. Its first
 * message says how to start; later ones replace the people who can log in. It reports its port.
 */
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

const now = Date.now;
let people = {};

/** A new key at every start: a restart rotates the keys. */
function newKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' };
}

function start({ issuer, redirectUri, inUserInfo, behindSeconds = 0 }) {
  Date.now = () => now() - behindSeconds * 1_000;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'market', client_secret: 'the secret of the market', redirect_uris: [redirectUri] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: inUserInfo,
    cookies: { keys: ['a key of tests'] },
    jwks: { keys: [newKey()] },
    pkce: { required: () => true },
    findAccount: (_ctx, id) => people[id] && { accountId: id, claims: () => ({ sub: id, ...people[id] }) },
    async loadExistingGrant(ctx) {
      const { client, session } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  provider.proxy = true;
  const server = createServer(provider.callback());
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

process.on('message', (message) => {
  if (message.people) people = message.people;
  if (message.issuer) start(message);
  else process.send({ set: true });
});
process.on('disconnect', () => process.exit());
