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
