/**
 * The path of a Chromium or Chrome: `CHROMIUM`, else the first on PATH or in the usual places; undefined if there is
 * none.
 */
export function findChromium(env?: NodeJS.ProcessEnv): string | undefined;

/** What to do when there is none. */
export const HINT: string;
