import { queryOptions } from '@tanstack/react-query';
import { ApiError, send, type Answer } from './http';
import { queryClient } from './queries';

export type Profile = Answer<'/v1/auth/me', 'get'>;

/** The profile of the session; null for a visitor. */
export const sessionQuery = queryOptions({
  queryKey: ['session'] as const,
  queryFn: async (): Promise<Profile | null> => {
    try {
      return await send('get', '/v1/auth/me');
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** Makes `profile` the account of the console, null for a visitor, and forgets what was read for the one before. */
export function changeSession(profile: Profile | null): void {
  // The query of the session stays, because parts of the page that show it have subscribed to it.
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  queryClient.setQueryData(sessionQuery.queryKey, profile);
}
