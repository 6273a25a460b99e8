/**
 * Creates authorizations to transfer USDC (EIP-3009 `TransferWithAuthorization`, signed as EIP-712 typed data). Equal
 * terms always give the same bytes: the nonce is derived from a name, and signatures are deterministic (RFC 6979).
 */
import { secp256k1 } from '@noble/curves/secp256k1';
import { checksummedAddress, keccak256 } from './evm-address';

/** The token that signatures are bound to (EIP-712 domain). */
export interface TokenDomain {
  chainId: number;
  /** Address of the token contract. */
  asset: string;
  name: string;
  version: string;
}

/** Terms of a transfer. Amounts and times are decimal text, as in x402; times are seconds since the epoch. */
export interface Authorization {
  from: string;
  to: string;
  /** Amount in the smallest unit of the token. */
  value: string;
  validAfter: string;
  validBefore: string;
  /** `0x` and 64 hexadecimal digits. */
  nonce: string;
}

const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
const AUTHORIZATION_TYPE =
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)';
const WORD_DIGITS = 64;

/** Derives a nonce that is unique for this name. */
export function nonceOf(name: string): string {
  return `0x${hashOf(`agent-marketplace/${name}`).toString('hex')}`;
}

/**
 * The address of a private key. Returns undefined unless the key is `0x` and 64 hexadecimal digits within the curve's
 * order.
 */
export function addressOfKey(privateKey: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey) || !secp256k1.utils.isValidPrivateKey(privateKey.slice(2))) {
    return undefined;
  }
  const point = secp256k1.getPublicKey(privateKey.slice(2), false);
  const hash = keccak256(Buffer.from(point.subarray(1)));
  return checksummedAddress(`0x${hash.subarray(12).toString('hex')}`);
}

/** The value of the token's `DOMAIN_SEPARATOR()`: `0x` and 64 hexadecimal digits. */
export function domainSeparator({ chainId, asset, name, version }: TokenDomain): string {
  const words = [hashOf(DOMAIN_TYPE), hashOf(name), hashOf(version), word(BigInt(chainId)), word(asset)];
  return `0x${keccak256(Buffer.concat(words)).toString('hex')}`;
}

/** The digest that the payer of an authorization signs (EIP-712). */
export function authorizationDigest(domain: TokenDomain, terms: Authorization): Buffer {
  const message = [
    hashOf(AUTHORIZATION_TYPE),
    ...[terms.from, terms.to].map(word),
    ...[terms.value, terms.validAfter, terms.validBefore].map((value) => word(BigInt(value))),
    word(terms.nonce),
  ];
  return keccak256(
    Buffer.concat([
      Buffer.from('1901', 'hex'),
      word(domainSeparator(domain)),
      keccak256(Buffer.concat(message)),
    ]),
  );
}

/** Signs an authorization. Returns 65 bytes as hexadecimal: r, s, and 27 or 28. */
export function signAuthorization(domain: TokenDomain, terms: Authorization, privateKey: string): string {
  const signature = secp256k1.sign(authorizationDigest(domain, terms), privateKey.slice(2), { lowS: true });
  return `0x${signature.toCompactHex()}${(27 + signature.recovery).toString(16)}`;
}

/**
 * ABI-encodes the call by which a contract account says whether a signature is its own (ERC-1271,
 * `isValidSignature(bytes32,bytes)`).
 */
export function encodeSignatureQuestion(digest: Buffer, signature: string): string {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const padded = Buffer.concat([bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32)]);
  const selector = hashOf('isValidSignature(bytes32,bytes)').subarray(0, 4);
  return `0x${Buffer.concat([selector, digest, word(64n), word(BigInt(bytes.length)), padded]).toString('hex')}`;
}

/** ABI-encodes a contract call whose arguments are one word each. */
export function encodeCall(signature: string, ...values: (string | bigint)[]): string {
  const selector = hashOf(signature).subarray(0, 4);
  return `0x${Buffer.concat([selector, ...values.map(word)]).toString('hex')}`;
}

/** The first topic of an event, from its signature. */
export function eventTopic(signature: string): string {
  return `0x${hashOf(signature).toString('hex')}`;
}

/** Encodes a value as an event topic: 32 bytes as hexadecimal. */
export function topicOf(value: string): string {
  return `0x${word(value).toString('hex')}`;
}

/**
 * Encodes a number, or hexadecimal digits, as 32 bytes with leading zeros. Throws `RangeError` when the value does
 * not fit.
 */
function word(value: string | bigint): Buffer {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase();
  if (digits.length > WORD_DIGITS || !/^[0-9a-f]+$/.test(digits)) throw new RangeError('does not fit a word');
  return Buffer.from(digits.padStart(WORD_DIGITS, '0'), 'hex');
}

function hashOf(text: string): Buffer {
  return keccak256(Buffer.from(text, 'utf8'));
}
