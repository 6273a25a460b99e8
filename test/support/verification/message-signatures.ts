import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { verifySignature } from 'http-message-sig';

/**
 * Verifies a request of the marketplace by a library of HTTP Message Signatures. Throws if its signature does not cover
 * what it should, or is not by the key.
 */
export async function verifyRequest(
  { method, url, headers }: { method: string; url: string; headers: Readonly<Record<string, unknown>> },
  jwk: JsonWebKey,
): Promise<void> {
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = ['signature', 'signature-input', 'signature-agent'];
  const request = new Request(url, {
    method,
    headers: signed.map((name): [string, string] => [name, String(headers[name])]),
  });
  await verifySignature(request, {
    policy: {
      algorithms: ['ed25519'],
      requiredComponents: ['@method', '@authority', '@path'],
      requiredParameters: ['created', 'expires', 'keyid', 'nonce', 'tag'],
    },
    resolveVerifier: () => ({
      algorithm: 'ed25519',
      verify: (data, signature) => verify(null, data, key, signature),
    }),
  });
}
