import { readPayment } from './payment-payload';

const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const NOW = 1_800_000_000;
const terms = {
  network: 'eip155:84532',
  asset: PAY_TO,
  payTo: PAY_TO,
  amountMinor: 100_000,
  leastSeconds: 60,
};
const authorization = {
  from: '0x0000000000000000000000000000000000000001',
  to: PAY_TO,
  value: '100000',
  validAfter: '0',
  validBefore: String(NOW + 200),
  nonce: `0x${'AB'.repeat(32)}`,
};
const accepted = {
  scheme: 'exact',
  network: terms.network,
  asset: PAY_TO.toLowerCase(),
  payTo: PAY_TO,
  amount: '100000',
};
const signature = `0x${'12'.repeat(65)}`;
const payment = { x402Version: 2, accepted, payload: { signature, authorization } };
const read = (value: unknown) => readPayment(value, terms, NOW);
const identified = (id: unknown) => ({
  ...payment,
  extensions: { 'payment-identifier': { info: { required: false, id } } },
});

it('reads a payment whose terms fit', () => {
  expect(read(payment)).toEqual({
    payment: {
      authorization: { ...authorization, nonce: `0x${'ab'.repeat(32)}` },
      signature,
      identifier: null,
    },
  });
});

it('reads the id of payment-identifier', () => {
  expect(read(identified('pay_7d5d747be160e280'))).toMatchObject({
    payment: { identifier: 'pay_7d5d747be160e280' },
  });
});

const malformed: [string, unknown][] = [
  ['no object', []],
  ['null', null],
  ['version 1', { ...payment, x402Version: 1 }],
  ['no requirement', { ...payment, accepted: 'exact' }],
  ['no payload', { ...payment, payload: null }],
  ['a signature that is no text', { ...payment, payload: { authorization, signature: 1 } }],
  ['an endless signature', { ...payment, payload: { authorization, signature: `0x${'00'.repeat(5_000)}` } }],
  ['a transfer by Permit2', { ...payment, payload: { signature, permit2Authorization: {} } }],
  [
    'a negative value',
    { ...payment, payload: { signature, authorization: { ...authorization, value: '-1' } } },
  ],
  [
    'a number for a value',
    { ...payment, payload: { signature, authorization: { ...authorization, value: 100_000 } } },
  ],
  [
    'a short nonce',
    { ...payment, payload: { signature, authorization: { ...authorization, nonce: '0x01' } } },
  ],
  ['a short id', identified('short')],
  ['an id with a space', identified('0123456789 abcdef')],
];
it.each(malformed)('refuses %s as malformed', (_name, value) => {
  expect(read(value)).toMatchObject({ flaw: { malformed: true } });
});

const signed = (change: object) => ({
  ...payment,
  payload: { signature, authorization: { ...authorization, ...change } },
});
const mismatches: [string, unknown, string][] = [
  ['another scheme', { ...payment, accepted: { ...accepted, scheme: 'upto' } }, 'scheme'],
  ['another network', { ...payment, accepted: { ...accepted, network: 'eip155:1' } }, 'network'],
  ['another asset', { ...payment, accepted: { ...accepted, asset: authorization.from } }, 'asset'],
  ['another receiver', { ...payment, accepted: { ...accepted, payTo: authorization.from } }, 'must go to'],
  ['a signature for another receiver', signed({ to: authorization.from }), 'must go to'],
  ['another amount', { ...payment, accepted: { ...accepted, amount: '99999' } }, 'amount must be 100000'],
  ['a signature for less', signed({ value: '1' }), 'amount must be 100000'],
  ['a signature for more', signed({ value: '100001' }), 'amount must be 100000'],
  ['an expired authorization', signed({ validBefore: String(NOW) }), 'expired'],
  ['one that ends too soon', signed({ validBefore: String(NOW + 59) }), 'for 60 more'],
  ['one that is valid for days', signed({ validBefore: String(NOW + 86_400) }), 'the most is 7200'],
  ['one that begins later', signed({ validAfter: String(NOW + 61) }), 'not valid yet'],
];
it.each(mismatches)('refuses %s', (_name, value, message) => {
  expect(read(value)).toEqual({
    flaw: { malformed: false, message: expect.stringContaining(message) as unknown },
  });
});
