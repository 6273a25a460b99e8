/**
 * Authorizations to move USDC (EIP-3009 `TransferWithAuthorization`, signed as EIP-712 typed data). The same terms give
 * the same bytes for ever: the nonce is derived from a name, and signatures are deterministic (RFC 6979).
 */
import { secp256k1 } from '@noble/curves/secp256k1';
import { checksummedAddress, keccak256 } from './evm-address';

/** The token, as its signatures are bound to it (EIP-712 domain). */
export interface TokenDomain {
  chainId: number;
  /** The contract. */
  asset: string;
  name: string;
  version: string;
}

/** Amounts and times are decimal text, as x402 has them; times are seconds since the epoch. */
export interface Authorization {
  from: string;
  to: string;
  /** Smallest units. */
  value: string;
  validAfter: string;
  validBefore: string;
  /** `0x` and 64 digits. */
  nonce: string;
}

const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
const AUTHORIZATION_TYPE =
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)';
const WORD_DIGITS = 64;

/** A nonce that only this name has. */
export function nonceOf(name: string): string {
  return `0x${hashOf(`agent-marketplace/${name}`).toString('hex')}`;
}

/** The address of a private key; undefined when it is none (`0x` and 64 digits, within the curve's order). */
export function addressOfKey(privateKey: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey) || !secp256k1.utils.isValidPrivateKey(privateKey.slice(2))) {
    return undefined;
  }
  const point = secp256k1.getPublicKey(privateKey.slice(2), false);
  const hash = keccak256(Buffer.from(point.subarray(1)));
  return checksummedAddress(`0x${hash.subarray(12).toString('hex')}`);
}

/** What `DOMAIN_SEPARATOR()` of the token answers: `0x` and 64 digits. */
export function domainSeparator({ chainId, asset, name, version }: TokenDomain): string {
  const words = [hashOf(DOMAIN_TYPE), hashOf(name), hashOf(version), word(BigInt(chainId)), word(asset)];
  return `0x${keccak256(Buffer.concat(words)).toString('hex')}`;
}

/** The signature, 65 bytes as `0x` and digits: r, s, and 27 or 28. */
export function signAuthorization(domain: TokenDomain, terms: Authorization, privateKey: string): string {
  const message = [
    hashOf(AUTHORIZATION_TYPE),
    ...[terms.from, terms.to].map(word),
    ...[terms.value, terms.validAfter, terms.validBefore].map((value) => word(BigInt(value))),
    word(terms.nonce),
  ];
  const digest = keccak256(
    Buffer.concat([
      Buffer.from('1901', 'hex'),
      word(domainSeparator(domain)),
      keccak256(Buffer.concat(message)),
    ]),
  );
  const signature = secp256k1.sign(digest, privateKey.slice(2), { lowS: true });
  return `0x${signature.toCompactHex()}${(27 + signature.recovery).toString(16)}`;
}

/** The call of a contract's function with arguments of one word each: `0x` and digits. */
export function encodeCall(signature: string, ...values: (string | bigint)[]): string {
  const selector = hashOf(signature).subarray(0, 4);
  return `0x${Buffer.concat([selector, ...values.map(word)]).toString('hex')}`;
}

/** The first topic of an event. */
export function eventTopic(signature: string): string {
  return `0x${hashOf(signature).toString('hex')}`;
}

/** A value as topics have it: 32 bytes as `0x` and digits. */
export function topicOf(value: string): string {
  return `0x${word(value).toString('hex')}`;
}

/** 32 bytes: a number, or hexadecimal digits with zeros before them. */
function word(value: string | bigint): Buffer {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase();
  if (digits.length > WORD_DIGITS || !/^[0-9a-f]+$/.test(digits)) throw new RangeError('does not fit a word');
  return Buffer.from(digits.padStart(WORD_DIGITS, '0'), 'hex');
}

function hashOf(text: string): Buffer {
  return keccak256(Buffer.from(text, 'utf8'));
}
