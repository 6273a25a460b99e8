import type { Config } from '../config';

/** Splits a comma-separated setting. */
export function listOf(setting: string): string[] {
  return setting
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The origins whose pages may call the API. */
export function ownOrigins(config: Pick<Config, 'PUBLIC_ORIGIN' | 'ALLOWED_ORIGINS'>): string[] {
  return [new URL(config.PUBLIC_ORIGIN).origin, ...listOf(config.ALLOWED_ORIGINS)];
}
