import { privateKeyToAccount } from 'viem/accounts';
import { signerOf, textDigest } from './evm-address';
import { authorizationDigest, signAuthorization } from './usdc-authorization';

const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const account = privateKeyToAccount(KEY);
const domain = { chainId: 84_532, asset: account.address, name: 'USDC', version: '2' };
const terms = {
  from: account.address,
  to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  value: '100000',
  validAfter: '0',
  validBefore: '2000000000',
  nonce: `0x${'ab'.repeat(32)}`,
};
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

it('finds the signer of an authorization', () => {
  expect(signerOf(authorizationDigest(domain, terms), signAuthorization(domain, terms, KEY))).toBe(
    account.address,
  );
});

it('finds the signer of a text that viem signed', async () => {
  const text = 'market.example wants you to sign in\n\nNonce: 1é';
  expect(signerOf(textDigest(text), await account.signMessage({ message: text }))).toBe(account.address);
});

it('finds another address when one term differs', () => {
  const signature = signAuthorization(domain, terms, KEY);
  expect(signerOf(authorizationDigest(domain, { ...terms, value: '1' }), signature)).not.toBe(
    account.address,
  );
});

it('refuses the twin of a signature in the upper half of the curve', () => {
  const signature = signAuthorization(domain, terms, KEY);
  const s = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  const twin = `${signature.slice(0, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`;
  expect(signerOf(authorizationDigest(domain, terms), twin)).toBeUndefined();
});

it.each(['', '0x', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(64)}1b`, `0x${'ab'.repeat(200)}`])(
  'finds no signer of %p',
  (signature) => expect(signerOf(Buffer.alloc(32, 1), signature)).toBeUndefined(),
);
