/** The options for the limits of API keys and of OAuth grants. */
import type { Command } from 'commander';
import { usageFailure } from '../failure';

export interface LimitOptions {
  creditCap?: string;
  window?: string;
  callCap?: string;
  minTrust?: string;
  agents?: string[];
}

export const withLimits = (command: Command) =>
  command
    .option('--credit-cap <credits>', 'most credits in each window, or none')
    .option('--window <window>', 'what the cap is for: day, week, month, or lifetime')
    .option('--call-cap <credits>', 'most credits of one call, or none')
    .option('--min-trust <score>', 'lowest trust score of an agent, or none')
    .option('--agents <ids...>', 'the only agents that may be called, or none');

/** The limits that options name, as the API takes them. */
export function limitBody({ creditCap, window, callCap, minTrust, agents }: LimitOptions) {
  return {
    ...(creditCap !== undefined && { credit_cap: numberOf('--credit-cap', creditCap) }),
    ...(window !== undefined && { credit_cap_window: window }),
    ...(callCap !== undefined && { call_cap: numberOf('--call-cap', callCap) }),
    ...(minTrust !== undefined && { min_trust_score: numberOf('--min-trust', minTrust) }),
    ...(agents !== undefined && { agents: idsOf(agents) }),
  };
}

/** The ids of an option; null for `none`. */
export const idsOf = (ids: string[]) => (ids.join(' ') === 'none' ? null : ids);

export function numberOf(option: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw usageFailure(`${option} takes a whole number, or none`);
}
