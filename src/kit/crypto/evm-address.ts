/**
 * Ethereum addresses: 20 bytes in hexadecimal. The upper and lower case of the digits may carry a checksum (EIP-55).
 */
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
