/** The checksums of bank numbers, so that a mistyped digit is found before a transfer is returned. */

/** Checks the ABA checksum: the digits weighted 3, 7, 1 add up to a multiple of ten. */
export function isRoutingNumber(digits: string): boolean {
  const weights = [3, 7, 1];
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0);
  return digits.length === 9 && sum > 0 && sum % 10 === 0;
}

/**
 * Checks the ISO 13616 checksum: the number, with its first four characters moved to the end and letters as
 * numbers from 10, is 1 modulo 97.
 */
export function isIban(iban: string): boolean {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
