import { queryOptions } from '@tanstack/react-query';
import { ApiError, send, type Answer } from './http';

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
