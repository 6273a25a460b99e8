import { getAddress, hashDomain, verifyTypedData, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { addressOfKey, domainSeparator, encodeCall, nonceOf, signAuthorization } from './usdc-authorization';

/** Authorizations of this code, read by another implementation. */
const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const token = { chainId: 8453, asset, name: 'USD Coin', version: '2' };
const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: asset } as const;
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;
const DOMAIN_TYPES = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
};

it('has the domain separator that the token has', () => {
  const typed = { domain, types: DOMAIN_TYPES } as unknown as Parameters<typeof hashDomain>[0];
  expect(domainSeparator(token)).toBe(hashDomain(typed));
  expect(domainSeparator({ ...token, chainId: 1 })).not.toBe(domainSeparator(token));
});

it('signs as another implementation does, byte for byte, and each time the same', async () => {
  for (let times = 0; times < 20; times += 1) {
    const key = generatePrivateKey();
    const account = privateKeyToAccount(key);
    expect(addressOfKey(key)).toBe(account.address);
    const terms = {
      from: account.address,
      to: getAddress(`0x${times.toString(16).padStart(40, 'a')}`),
      value: String(10n ** BigInt(times)),
      validAfter: '0',
      validBefore: String(1_790_000_000 + times),
      nonce: nonceOf(`usdc-20261116-0-${times}`),
    };
    const message = {
      ...terms,
      value: BigInt(terms.value),
      validAfter: 0n,
      validBefore: BigInt(terms.validBefore),
      nonce: terms.nonce as Hex,
    };
    const typed = { domain, types: TYPES, primaryType: 'TransferWithAuthorization', message } as const;
    const signature = signAuthorization(token, terms, key);
    expect(signature).toBe(await account.signTypedData(typed));
    expect(signAuthorization(token, terms, key)).toBe(signature);
    const check = { address: account.address, signature: signature as Hex, ...typed };
    expect(await verifyTypedData(check)).toBe(true);
    expect(signAuthorization(token, { ...terms, value: '1' + terms.value }, key)).not.toBe(signature);
  }
});

it.each(['', '0x', `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, '1'.repeat(64), `0x${'1'.repeat(63)}`])(
  'refuses %j as a private key',
  (key) => {
    expect(addressOfKey(key)).toBeUndefined();
  },
);

it('refuses values that do not fit into 32 bytes', () => {
  expect(encodeCall('balanceOf(address)', asset)).toBe(
    `0x70a08231${asset.slice(2).toLowerCase().padStart(64, '0')}`,
  );
  expect(() => encodeCall('x(uint256)', 2n ** 256n)).toThrow(RangeError);
  expect(() => encodeCall('x(uint256)', -1n)).toThrow(RangeError);
});
