/**
 * Sizes of storms. `npm test` runs a part that shows the same; the campaign (`npm run test:crash`, or CRASH_ROUNDS with
 * any run of jest) the full ones.
 */
export const CRASH_ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 1);
export const isCampaign = process.env['CRASH_ROUNDS'] !== undefined;

export const few = (some: number, all: number): number => (isCampaign ? all : some);

/**
 * Order of a call's workflow and its steps, for stacks that do not choose one: `ENROLMENT=confirmed npm run
 * test:crash`.
 */
export const ENROLMENT = process.env['ENROLMENT'] ?? 'enrolled';

/**
 * True in `npm run test:long`, which runs the files of `jest/whole-files.js` once more, with all that `npm test` leaves
 * out.
 */
const isWhole = isCampaign || process.env['LONG_TESTS'] !== undefined;

/** A size that shows in `npm test` what the whole size shows in `npm run test:long`. */
export const part = (some: number, whole: number): number => (isWhole ? whole : some);

/** Rows of a table of tests of which `npm test` has others that prove the same. */
export const longRows = <T>(...rows: T[]): T[] => (isWhole ? rows : []);

/** A test of `npm run test:long`; `npm test` proves the promise in another way (test/long/README.md). */
export function itLong(name: string, work: () => Promise<void>, timeoutMs?: number): void {
  if (isWhole) it(name, work, timeoutMs);
}
