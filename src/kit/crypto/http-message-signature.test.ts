import { createPrivateKey } from 'node:crypto';
import { verifyRequest } from '../../../test/support/verification/message-signatures';
import { ed25519Key, ed25519Public, newEd25519Seed } from './ed25519';
import { ed25519Thumbprint, signMessage, signRequest } from './http-message-signature';

/** `test-key-ed25519` of RFC 9421, appendix B.1.4, and its thumbprint. */
const X = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';
const KID = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';
const privateKey = createPrivateKey({
  key: { kty: 'OKP', crv: 'Ed25519', d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU', x: X },
  format: 'jwk',
});

it('reproduces the signature of RFC 9421, appendix B.2.6', () => {
  const { input, signature } = signMessage({
    components: [
      ['"date"', 'Tue, 20 Apr 2021 02:07:55 GMT'],
      ['"@method"', 'POST'],
      ['"@path"', '/foo'],
      ['"@authority"', 'example.com'],
      ['"content-type"', 'application/json'],
      ['"content-length"', '18'],
    ],
    params: ';created=1618884473;keyid="test-key-ed25519"',
    privateKey,
  });
  expect(input).toBe(
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  );
  expect(signature).toBe(
    'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
  );
});

it.each([
  [
    'a request',
    ['"@authority"', 'example.com'],
    ['"signature-agent";key="sig2"', '"https://signature-agent.test"'],
    `;created=1735689600;keyid="${KID}";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"`,
    'CGokAoY/FrPpyuzTe1Fb2kLTAH9Idw6qSFd1+D77r1firsMRCxeuLu5e6O+ek3zQgDMAzjiXtLVfqE00xnABCQ==',
  ],
  [
    'a directory',
    ['"@authority";req', 'signature-agent.test'],
    ['"content-digest"', 'sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:'],
    `;created=1735689600;expires=4889289600;keyid="${KID}";tag="http-message-signatures-directory"`,
    'l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==',
  ],
] as const)('reproduces the vector of Web Bot Auth for %s', (_name, first, second, params, expected) => {
  expect(ed25519Thumbprint(X)).toBe(KID);
  expect(signMessage({ components: [first, second], params, privateKey }).signature).toBe(expected);
});

describe('signRequest', () => {
  const seed = newEd25519Seed();
  const x = ed25519Public(ed25519Key(seed));
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const url = 'https://agents.example.com:8443/v1/invoke?x=1';
  const headers = signRequest({
    method: 'POST',
    url,
    directory: 'https://market.example/.well-known/http-message-signatures-directory',
    key: { kid: ed25519Thumbprint(x), privateKey: ed25519Key(seed) },
    created: Math.floor(Date.now() / 1_000),
    lifeSeconds: 60,
  });
  const verified = async (method: string, at: string, sent: Record<string, string> = headers) =>
    verifyRequest({ method, url: at, headers: sent }, jwk);

  it('is verified by a library of HTTP Message Signatures', async () => {
    await verified('POST', url);
    expect(headers['signature-input']).toContain(`;keyid="${ed25519Thumbprint(x)}";alg="ed25519";nonce="`);
  });

  it('is of no use for another method, host, path or directory', async () => {
    await expect(verified('GET', url)).rejects.toThrow();
    await expect(verified('POST', 'https://agents.example.com/v1/invoke')).rejects.toThrow();
    await expect(verified('POST', 'https://agents.example.com:8443/v1/other')).rejects.toThrow();
    const other = 'market="https://evil.example/.well-known/http-message-signatures-directory"';
    await expect(verified('POST', url, { ...headers, 'signature-agent': other })).rejects.toThrow();
  });
});
