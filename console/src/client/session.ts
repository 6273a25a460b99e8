import { queryOptions } from '@tanstack/react-query';
import { ApiError, send, type Answer } from './http';
import { forgetChats } from './kept-chats';
import { queryClient } from './queries';
import { readAnew } from './read-since';
import { isKnownVisitor, noteRole, noteVisitor } from './visitor';

export type Profile = Answer<'/v1/auth/me', 'get'>;

/** The profile of the session; null for a visitor. */
export const sessionQuery = queryOptions({
  queryKey: ['session'] as const,
  queryFn: async (): Promise<Profile | null> => {
    if (isKnownVisitor()) return null;
    try {
      const profile = await send('get', '/v1/auth/me');
      noteRole(profile.role);
      return profile;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

const isOfSession = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  queryKey[0] === sessionQuery.queryKey[0];

/** Tells the other tabs of this browser who is logged in. */
const tabs = new BroadcastChannel('session');

/** Makes `profile` the account of the console, null for a visitor, and forgets what was read for the one before. */
export function changeSession(profile: Profile | null): void {
  noteVisitor(profile === null);
  if (profile) noteRole(profile.role);
  readAnew();
  forgetChats();
  // The query of the session stays, because parts of the page that show it have subscribed to it.
  queryClient.removeQueries({ predicate: (query) => !isOfSession(query) });
  queryClient.setQueryData(sessionQuery.queryKey, profile);
  tabs.postMessage(profile);
}

/** The account has logged in again after its session ended: what the page shows and what was typed stay. */
export function resumeSession(profile: Profile): void {
  noteVisitor(false);
  queryClient.setQueryData(sessionQuery.queryKey, profile);
  void queryClient.invalidateQueries();
  tabs.postMessage(profile);
}

/** Calls `listener` when an account logs in in another tab of this browser; the answer ends that. */
export function onOtherLogin(listener: () => void): () => void {
  const hear = ({ data }: MessageEvent<Profile | null>) => {
    if (data) listener();
  };
  tabs.addEventListener('message', hear);
  return () => tabs.removeEventListener('message', hear);
}

/**
 * Follows a log-in or log-out in another tab: what this one shows is forgotten and read again; of the same account it
 * stays while it is read again, with what was typed. A page that Back brings out of the browser's memory asks who is
 * logged in by now.
 */
export function followOtherTabs(): void {
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    noteVisitor(false);
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  });
  tabs.addEventListener('message', ({ data }: MessageEvent<Profile | null>) => {
    const before = queryClient.getQueryData(sessionQuery.queryKey);
    noteVisitor(data === null);
    queryClient.setQueryData(sessionQuery.queryKey, data);
    const others = { predicate: (query: { queryKey: readonly unknown[] }) => !isOfSession(query) };
    if (data && before?.user_id === data.user_id) void queryClient.invalidateQueries(others);
    else {
      readAnew();
      forgetChats();
      void queryClient.resetQueries(others);
    }
  });
}
