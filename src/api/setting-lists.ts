import type { Config } from '../config';

/** The parts of a setting that is a comma list. */
export function listOf(setting: string): string[] {
  return setting
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The origins whose pages may use the API. */
export function ownOrigins(config: Pick<Config, 'PUBLIC_ORIGIN' | 'ALLOWED_ORIGINS'>): string[] {
  return [new URL(config.PUBLIC_ORIGIN).origin, ...listOf(config.ALLOWED_ORIGINS)];
}
