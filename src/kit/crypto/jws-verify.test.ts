import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import type { EcPublicJwk } from './jws';
import { isSignedBy, parseJws, publicKeyOf } from './jws-verify';

const base64 = (value: string) => Buffer.from(value).toString('base64url');

async function keyPair() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { privateKey, jwk: (await exportJWK(publicKey)) as EcPublicJwk };
}

/** A JWS that any JOSE library would make. */
async function signed(payload: string, header: Record<string, unknown> = {}) {
  const { privateKey, jwk } = await keyPair();
  const signer = new CompactSign(Buffer.from(payload)).setProtectedHeader({
    alg: 'ES256',
    typ: 'x+jwt',
    ...header,
  });
  return { text: await signer.sign(privateKey), jwk };
}

it('reads and verifies what an independent library signed', async () => {
  const { text, jwk } = await signed('{"a":1}', { kid: 'k' });
  const jws = parseJws(text);
  expect(jws).toMatchObject({ header: { alg: 'ES256', typ: 'x+jwt', kid: 'k' }, claims: { a: 1 } });
  expect(jws && isSignedBy(jws, jwk)).toBe(true);
  expect(jws && isSignedBy(jws, (await keyPair()).jwk)).toBe(false);
});

it('finds every changed bit of header and claims', async () => {
  const { text, jwk } = await signed('{"a":1}');
  const [header = '', payload = '', signature = ''] = text.split('.');
  for (const changed of ['{"a":2}', '{"a":1 }', '{"b":1}', '{}', '{"a":1,"b":2}']) {
    const jws = parseJws(`${header}.${base64(changed)}.${signature}`);
    expect(jws && isSignedBy(jws, jwk)).toBe(false);
  }
  const renamed = parseJws(`${base64('{"alg":"ES256","typ":"y+jwt"}')}.${payload}.${signature}`);
  expect(renamed && isSignedBy(renamed, jwk)).toBe(false);
});

it.each<[string, Record<string, unknown>]>([
  ['a key', { jwk: {} }],
  ['the address of a key', { jku: 'https://keys.example' }],
  ['a certificate', { x5c: [] }],
  ['a content type that is no text', { cty: 1 }],
  ['a critical extension', { crit: ['exp'], exp: 1 }],
  ['a kid that is no text', { kid: 1 }],
])('refuses a JWS with %s in its header', (_what, more) => {
  const header = base64(JSON.stringify({ alg: 'ES256', typ: 'x+jwt', ...more }));
  expect(parseJws(`${header}.${base64('{}')}.${'A'.repeat(86)}`)).toBeUndefined();
});

it('ignores the content type, which some libraries write', () => {
  const header = { alg: 'ES256', typ: 'x+jwt', cty: 'JWT' };
  expect(parseJws(`${base64(JSON.stringify(header))}.${base64('{}')}.${'A'.repeat(86)}`)?.header).toEqual({
    alg: 'ES256',
    typ: 'x+jwt',
    kid: null,
  });
});

it.each(['none', 'HS256', 'RS256', 'ES384', 'EdDSA', 'es256', ''])('refuses the algorithm %j', (alg) => {
  const header = base64(JSON.stringify({ alg, typ: 'x+jwt' }));
  expect(parseJws(`${header}.${base64('{}')}.${'A'.repeat(86)}`)).toBeUndefined();
});

const header = base64('{"alg":"ES256","typ":"x+jwt"}');
it.each([
  ['two parts', `${header}.e30`],
  ['four parts', `${header}.e30.${'A'.repeat(86)}.e30`],
  ['padding', `${header}=.e30.${'A'.repeat(86)}`],
  ['a short signature', `${header}.e30.${'A'.repeat(85)}`],
  ['a DER signature', `${header}.e30.${'A'.repeat(96)}`],
  ['other characters', `${header}.e3+.${'A'.repeat(86)}`],
  ['claims that are not JSON', `${header}.${base64('{')}.${'A'.repeat(86)}`],
  ['a claim twice', `${header}.${base64('{"a":1,"a":2}')}.${'A'.repeat(86)}`],
  ['a header twice', `${base64('{"alg":"ES256","alg":"ES256","typ":"x"}')}.e30.${'A'.repeat(86)}`],
  ['a header that is null', `${base64('null')}.e30.${'A'.repeat(86)}`],
  ['nothing', ''],
])('refuses a JWS with %s', (_what, text) => expect(parseJws(text)).toBeUndefined());

it('accepts a signature as r‖s only, and no point off the curve', () => {
  const { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject } = generateKeyPairSync(
    'ec',
    {
      namedCurve: 'P-256',
    },
  );
  const jwk = publicKey.export({ format: 'jwk' }) as unknown as EcPublicJwk;
  const mark = sign('sha256', Buffer.from(`${header}.e30`), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const jws = parseJws(`${header}.e30.${mark.toString('base64url')}`);
  expect(jws && isSignedBy(jws, jwk)).toBe(true);
  expect(jws && isSignedBy(jws, { ...jwk, x: 'A'.repeat(43) })).toBe(false);
  expect(publicKeyOf({ ...jwk, y: 'A'.repeat(43) })).toBeUndefined();
});
