import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../serve.mjs';

const MOST_NUMBERS = 1000;
const LARGEST = 1_000_000_000_000;
/** Stands for slow work: two numbers take a second. */
const PAUSE_MS = 500;

/**
 * Finds the prime factors of each number.
 *
 * @param {Record<string, unknown>} input
 * @param {(progress: number, message: string) => Promise<void>} report
 */
export async function findFactors(input, report) {
  const found = [];
  const { numbers } = input;
  for (const number of numbers) {
    await sleep(PAUSE_MS);
    found.push({ number, factors: factorsOf(number) });
    await report(found.length / numbers.length, `Factored ${found.length} of ${numbers.length} numbers`);
  }
  return { results: found };
}

/** Throws `InputError` for an input that the schema forbids. */
export function requireNumbers({ numbers }) {
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > MOST_NUMBERS)
    throw new InputError(`numbers must be a list of 1 to ${MOST_NUMBERS} numbers.`);
  for (const number of numbers)
    if (!Number.isSafeInteger(number) || number < 1 || number > LARGEST)
      throw new InputError(`Each number must be an integer from 1 to ${LARGEST}.`);
}

/** @param {number} number */
export function factorsOf(number) {
  const factors = [];
  let rest = number;
  for (let divisor = 2; divisor * divisor <= rest; divisor += divisor === 2 ? 1 : 2)
    for (; rest % divisor === 0; rest /= divisor) factors.push(divisor);
  return rest > 1 ? [...factors, rest] : factors;
}
