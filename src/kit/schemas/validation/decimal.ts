const FORM = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * Reports whether `value` is a multiple of `divisor` in decimals, as both are written (JSON Schema validation §6.2.1):
 * 19.99 is a multiple of 0.01, though the quotient of the binary fractions is not whole.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = decimalOf(value);
  const [divisorDigits, divisorExponent] = decimalOf(divisor);
  const shift = exponent - divisorExponent;
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % divisorDigits === 0n
    : digits % (divisorDigits * 10n ** BigInt(-shift)) === 0n;
}

/** The shortest decimal that is read as this number, without its sign: `digits` × 10^`exponent`. */
function decimalOf(value: number): [digits: bigint, exponent: number] {
  const [, whole = '0', fraction = '', exponent = '0'] = FORM.exec(String(Math.abs(value))) ?? [];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
