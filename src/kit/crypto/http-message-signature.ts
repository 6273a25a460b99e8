/**
 * HTTP Message Signatures (RFC 9421) by Ed25519: of requests as draft-ietf-webbotauth-httpsig-protocol-01 profiles
 * them, and of the directory of their keys.
 */
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface MessageKey {
  /** RFC 7638 thumbprint of the public key. */
  kid: string;
  privateKey: KeyObject;
}

/** The RFC 7638 thumbprint of an Ed25519 key, from `x` of its JWK (RFC 8037, appendix A.3). */
export function ed25519Thumbprint(x: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}

/** A component of the signature base: its identifier as it is covered, and its value. */
type Component = readonly [identifier: string, value: string];

interface Signed {
  components: readonly Component[];
  /** The parameters of the signature behind the list of components. */
  params: string;
  privateKey: KeyObject;
}

/** The value of `Signature-Input` for one label, and the base64 of the signature (RFC 9421 §2.5, §3.1). */
export function signMessage({ components, params, privateKey }: Signed): {
  input: string;
  signature: string;
} {
  const input = `(${components.map(([identifier]) => identifier).join(' ')})${params}`;
  const lines = [...components, ['"@signature-params"', input]].map(([name, value]) => `${name}: ${value}`);
  return { input, signature: sign(null, Buffer.from(lines.join('\n')), privateKey).toString('base64') };
}

export interface SignedRequest {
  method: string;
  url: string;
  /** Address of the key directory. */
  directory: string;
  key: MessageKey;
  /** Seconds since the epoch, and for how many of them a verifier accepts the signature. */
  created: number;
  lifeSeconds: number;
  /** Default: 64 random bytes. */
  nonce?: string;
}

const LABEL = 'market';
const NONCE_BYTES = 64;

/**
 * The three headers of a signed request. The signature covers method, authority and path, so it is of no use for
 * another request, and its own member of `Signature-Agent`. The body has its signature in `webhook-signature`.
 */
export function signRequest(request: SignedRequest): Record<string, string> {
  const { method, url, directory, key, created, lifeSeconds } = request;
  const { host, pathname } = new URL(url);
  const nonce = request.nonce ?? randomBytes(NONCE_BYTES).toString('base64');
  const { input, signature } = signMessage({
    components: [
      ['"@method"', method],
      ['"@authority"', host],
      ['"@path"', pathname],
      [`"signature-agent";key="${LABEL}"`, `"${directory}"`],
    ],
    params:
      `;created=${created};expires=${created + lifeSeconds};keyid="${key.kid}";alg="ed25519"` +
      `;nonce="${nonce}";tag="web-bot-auth"`,
    privateKey: key.privateKey,
  });
  return {
    'signature-agent': `${LABEL}="${directory}"`,
    'signature-input': `${LABEL}=${input}`,
    signature: `${LABEL}=:${signature}:`,
  };
}

export interface SignedDirectory {
  body: Buffer;
  /** Host and port of the address that serves the directory. */
  authority: string;
  keys: readonly MessageKey[];
  created: number;
  lifeSeconds: number;
}

/**
 * The headers of a key directory: one signature by each of its keys, which proves their possession and binds them to
 * the authority and the body (appendix "Validating the Domain Binding" of the draft).
 */
export function signDirectory(directory: SignedDirectory): Record<string, string> {
  const { body, authority, keys, created, lifeSeconds } = directory;
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const signed = keys.map(({ kid, privateKey }, index) => {
    const label = `key${index}`;
    const { input, signature } = signMessage({
      components: [
        ['"@authority";req', authority],
        ['"content-digest"', digest],
      ],
      params:
        `;created=${created};expires=${created + lifeSeconds};keyid="${kid}";alg="ed25519"` +
        ';tag="http-message-signatures-directory"',
      privateKey,
    });
    return { input: `${label}=${input}`, signature: `${label}=:${signature}:` };
  });
  return {
    'Content-Digest': digest,
    'Signature-Input': signed.map(({ input }) => input).join(', '),
    Signature: signed.map(({ signature }) => signature).join(', '),
  };
}
