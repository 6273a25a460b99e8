import { createSiweMessage } from 'viem/siwe';
import { readSignIn } from './sign-in';

const NOW = Date.parse('2026-11-28T10:00:00.000Z');
const place = {
  domain: 'market.example',
  uri: 'https://market.example/v1/x402/refunds',
  network: 'eip155:84532',
};
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' as const;
const proof = {
  domain: place.domain,
  uri: place.uri,
  address,
  version: '1',
  chainId: place.network,
  nonce: 'a1b2c3d4e5f67890',
  issuedAt: '2026-11-28T10:00:00.000Z',
  expirationTime: '2026-11-28T10:05:00.000Z',
  signature: '0x1234',
};
const read = (change: object) => readSignIn({ ...proof, ...change }, place, NOW);

it.each([
  {},
  { statement: 'Send my credits back' },
  {
    statement: 'All',
    notBefore: proof.issuedAt,
    requestId: 'r1',
    resources: ['https://a.example/1', 'https://a.example/2'],
  },
])('writes the text that viem writes (%#)', (more: { notBefore?: string; resources?: string[] }) => {
  const { notBefore, ...rest } = more;
  const expected = createSiweMessage({
    ...rest,
    address,
    chainId: 84_532,
    domain: proof.domain,
    uri: proof.uri,
    version: '1',
    nonce: proof.nonce,
    issuedAt: new Date(proof.issuedAt),
    expirationTime: new Date(proof.expirationTime),
    ...(notBefore === undefined ? {} : { notBefore: new Date(notBefore) }),
  });
  expect(read(more)).toMatchObject({ message: expected });
});

const wrong: [string, object, string][] = [
  ['another marketplace', { domain: 'other.example' }, 'domain'],
  ['another path', { uri: 'https://market.example/v1/other' }, 'uri'],
  ['another chain', { chainId: 'eip155:1' }, 'chainId'],
  ['no nonce', { nonce: undefined }, 'nonce'],
  ['two lines', { statement: 'a\nURI: https://evil.example' }, 'statement'],
  ['a time that has passed', { expirationTime: '2026-11-28T09:59:00.000Z' }, 'passed'],
  ['no end', { expirationTime: undefined }, 'expirationTime'],
  ['a far end', { expirationTime: '2026-11-29T10:00:00.000Z' }, '10 minutes'],
  ['a later beginning', { notBefore: '2026-11-28T10:04:00.000Z' }, 'notBefore'],
  ['a statement of tomorrow', { issuedAt: '2026-11-29T10:00:00.000Z' }, 'future'],
  ['no time', { issuedAt: 'soon' }, 'issuedAt'],
  ['resources that are none', { resources: [1] }, 'resources'],
];
it.each(wrong)('refuses %s', (_name, change, message) => {
  expect(read(change)).toEqual(expect.stringContaining(message));
});

it('refuses what is no object', () => expect(readSignIn([], place, NOW)).toBe('it is no JSON object'));
