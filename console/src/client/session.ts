import { queryOptions } from '@tanstack/react-query';
import { actAs } from './acting';
import { ApiError, send } from './http';
import { forgetChats } from './kept-chats';
import { asOwner, ownerIdOf, type Profile } from './owner';
import { queryClient } from './queries';
import { readAnew } from './read-since';
import { isKnownVisitor, noteRole, noteVisitor } from './visitor';

export type { Profile } from './owner';

/** The profile of the session; null for a visitor. */
export const sessionQuery = queryOptions({
  queryKey: ['session'] as const,
  queryFn: async (): Promise<Profile | null> => {
    if (isKnownVisitor()) return null;
    try {
      return follow(await send('get', '/v1/auth/me'));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

const isOfSession = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  queryKey[0] === sessionQuery.queryKey[0];

/** Whether two profiles are of one person who acts for one owner. */
const isSame = (one: Profile, other: Profile) =>
  one.user_id === other.user_id && ownerIdOf(one) === ownerIdOf(other);

/** Notes a profile that was read. What was read of another owner, such as before a login elsewhere, is read again. */
function follow(profile: Profile): Profile {
  const before = queryClient.getQueryData<Profile | null>(['session']);
  noteOwner(profile);
  if (before && !isSame(before, profile)) forgetOthers();
  return profile;
}

/** Reads everything again but the session, as if for the first time. */
function forgetOthers(): void {
  readAnew();
  forgetChats();
  void queryClient.resetQueries({ predicate: (query) => !isOfSession(query) });
}

/** Notes for whom the page acts: its requests name the owner, and its first reads are those of the owner's role. */
function noteOwner(profile: Profile | null): void {
  actAs(profile ? ownerIdOf(profile) : undefined);
  if (profile) noteRole(asOwner(profile).role);
}

/** Tells the other tabs of this browser who is logged in. */
const tabs = new BroadcastChannel('session');

/** Makes `profile` the account of the console, null for a visitor, and forgets what was read for the one before. */
export function changeSession(profile: Profile | null): void {
  noteVisitor(profile === null);
  noteOwner(profile);
  readAnew();
  forgetChats();
  // The query of the session stays, because parts of the page that show it have subscribed to it.
  queryClient.removeQueries({ predicate: (query) => !isOfSession(query) });
  queryClient.setQueryData(sessionQuery.queryKey, profile);
  tabs.postMessage(profile);
}

/** Chooses for whom the session acts, null for the person, and reads everything of the new owner. */
export async function chooseOwner(owner: string | null): Promise<Profile> {
  await send('put', '/v1/auth/owner', { body: { owner } });
  const profile = await send('get', '/v1/auth/me');
  show(profile);
  tabs.postMessage(profile);
  return profile;
}

/**
 * The account has logged in again after its session ended: what the page shows and what was typed stay, also the
 * organisation for which the session before acted.
 */
export async function resumeSession(login: Profile, before: Profile | undefined): Promise<void> {
  const owner = before?.acting_for?.owner_id;
  let profile = login;
  if (owner !== undefined) {
    // A person who is no member any more acts for the own account.
    await send('put', '/v1/auth/owner', { body: { owner } }).catch(() => undefined);
    profile = await send('get', '/v1/auth/me');
  }
  tabs.postMessage(profile);
  if (before && !isSame(before, profile)) return show(profile);
  noteVisitor(false);
  noteOwner(profile);
  queryClient.setQueryData(sessionQuery.queryKey, profile);
  void queryClient.invalidateQueries();
}

/** Shows the account of a session, or of another owner of it, in place of the one before. */
function show(profile: Profile | null): void {
  noteVisitor(profile === null);
  noteOwner(profile);
  queryClient.setQueryData(sessionQuery.queryKey, profile);
  forgetOthers();
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
    if (!data || !before || !isSame(before, data)) return show(data);
    noteVisitor(false);
    queryClient.setQueryData(sessionQuery.queryKey, data);
    void queryClient.invalidateQueries({ predicate: (query) => !isOfSession(query) });
  });
}
