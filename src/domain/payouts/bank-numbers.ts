/** The checksums of bank numbers, so that a mistyped digit is found before a transfer is returned. */

import { IBAN_LENGTHS } from './iban-countries';

/**
 * The first two digits of ABA routing numbers: Federal Reserve districts, thrifts, electronic transactions, cheques of
 * the Treasury.
 */
const ABA_PREFIX = /^(0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/;

/** Checks the prefix and the ABA checksum: the digits weighted 3, 7, 1 add up to a multiple of ten. */
export function isRoutingNumber(digits: string): boolean {
  const weights = [3, 7, 1];
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0);
  return digits.length === 9 && ABA_PREFIX.test(digits) && sum > 0 && sum % 10 === 0;
}

/**
 * Checks an IBAN by ISO 13616: a country of the registry, with the length that the registry says, and the checksum: the
 * number, with its first four characters moved to the end and letters as numbers from 10, is 1 modulo 97.
 */
export function isIban(iban: string): boolean {
  if (IBAN_LENGTHS[iban.slice(0, 2)] !== iban.length) return false;
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
