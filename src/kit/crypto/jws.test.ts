import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose';
import { generateSigningKey, importSigningKey, payloadOf, signJws } from './jws';

async function signed(payload: string) {
  const pair = await generateSigningKey();
  const key = { kid: pair.kid, privateKey: importSigningKey(pair.privateKey, pair.kid) };
  return { pair, jws: signJws(payload, key, { invocation_id: 'inv_1' }) };
}

describe('signatures', () => {
  it('verify with an independent library, under the thumbprint of the key', async () => {
    const text = '{"grüße":"😀"}';
    const { pair, jws } = await signed(text);
    const { payload, protectedHeader } = await compactVerify(
      jws,
      await importJWK({ ...pair.publicJwk }, 'ES256'),
    );
    expect(new TextDecoder().decode(payload)).toBe(text);
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: pair.kid, invocation_id: 'inv_1' });
    expect(await calculateJwkThumbprint({ ...pair.publicJwk })).toBe(pair.kid);
    expect(payloadOf(jws)).toBe(text);
  });

  it('do not verify when any character of them is another', async () => {
    const { pair, jws } = await signed('{"a":1}');
    const key = await importJWK({ ...pair.publicJwk }, 'ES256');
    for (let at = 0; at < jws.length; at += 1) {
      // the last character of base64url may hold bits that mean nothing, so it is replaced by one far away
      const other = jws[at] === 'A' ? 'Z' : 'A';
      const forged = `${jws.slice(0, at)}${other}${jws.slice(at + 1)}`;
      await expect(compactVerify(forged, key)).rejects.toThrow();
    }
  });
});

it('a private key opens under its own id only', async () => {
  const [one, other] = await Promise.all([generateSigningKey(), generateSigningKey()]);
  expect(() => importSigningKey(one.privateKey, other.kid)).toThrow('not the private key');
});
