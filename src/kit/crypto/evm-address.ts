/**
 * Ethereum addresses: 20 bytes in hexadecimal. The upper and lower case of the digits may carry a checksum (EIP-55).
 * And who signed a digest, by its key.
 */
import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO = /^0x0{40}$/;

/**
 * The address with its checksum. Undefined when the text is not an address, when it is the zero address (funds sent
 * there are lost), or when it mixes cases in a way that contradicts the checksum, which means a typing error.
 */
export function checksummedAddress(address: string): string | undefined {
  if (!ADDRESS.test(address) || ZERO.test(address)) return undefined;
  const digits = address.slice(2).toLowerCase();
  const hash = keccak256(Buffer.from(digits)).toString('hex');
  const cased = [...digits].map((digit, at) =>
    Number.parseInt(hash[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  const checksummed = `0x${cased.join('')}`;
  const given = address.slice(2);
  const isUncased = given === digits || given === digits.toUpperCase();
  return isUncased || address === checksummed ? checksummed : undefined;
}

/** Keccak-256 with its original padding, as Ethereum uses it. Node has only SHA3-256, whose padding differs. */
export function keccak256(data: Buffer): Buffer {
  return Buffer.from(keccak_256(data));
}

/** r and s, then 27 or 28 (or 0 or 1). */
const SIGNATURE = /^0x([0-9a-fA-F]{128})(00|01|1b|1c|1B|1C)$/;

/**
 * The address whose private key signed the digest. Undefined for a signature that is none of 65 bytes, and for one in
 * the upper half of the curve, which tokens refuse because anyone can derive it from the other.
 */
export function signerOf(digest: Buffer, signature: string): string | undefined {
  const [, compact = '', recovery = ''] = SIGNATURE.exec(signature) ?? [];
  if (compact === '') return undefined;
  try {
    const bit = Number.parseInt(recovery, 16) % 27;
    const parsed = secp256k1.Signature.fromCompact(compact).addRecoveryBit(bit);
    if (parsed.hasHighS()) return undefined;
    const point = parsed.recoverPublicKey(digest).toRawBytes(false);
    const hash = keccak256(Buffer.from(point.subarray(1)));
    return checksummedAddress(`0x${hash.subarray(12).toString('hex')}`);
  } catch {
    // Numbers that are on no point of the curve.
    return undefined;
  }
}

/** The digest that a wallet signs for a text that a person reads (EIP-191, `personal_sign`). */
export function textDigest(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const prefix = Buffer.from(`\u0019Ethereum Signed Message:\n${bytes.length}`, 'utf8');
  return keccak256(Buffer.concat([prefix, bytes]));
}
