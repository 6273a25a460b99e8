import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import type { Profile } from '../../client/session';

type Waiting = Answer<'/v1/notices/waiting', 'get'>;

/** How often the counts are read, besides at each event of the account. */
const EVERY_MS = 60_000;

/** The unread notices, and what waits for the account. Undefined for visitors. */
export function useWaiting(profile: Profile | null | undefined): Waiting | undefined {
  return useQuery({ ...get('/v1/notices/waiting'), enabled: Boolean(profile), refetchInterval: EVERY_MS })
    .data;
}

/** How many things wait for an answer or a decision of the account, by the page on which it is given. */
export function menuCounts(waiting: Waiting | undefined): Readonly<Record<string, number>> {
  if (!waiting) return {};
  return {
    '/operator': waiting.decisions ?? 0,
    '/calls': waiting.questions,
    '/disputes': waiting.disputes,
    '/developer/bond': waiting.slashes,
  };
}

/** How many things wait on all pages together. */
export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
