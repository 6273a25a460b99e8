import { infiniteQueryOptions, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { isOutcomeOpen } from './outcome';
import { ApiError, send, type Answer, type Input, type Path } from './http';

/** Options of a query for one `GET` operation. The key is the operation with its parameters. */
export function get<P extends Path>(path: P, input: Omit<Input<P, 'get'>, 'signal' | 'body'> = {}) {
  return queryOptions({
    queryKey: [path, input.path ?? null, input.query ?? null] as const,
    queryFn: ({ signal }) => send('get', path, { ...input, signal }),
  });
}

type Page = { items: unknown[]; next_cursor: string | null; total?: number };

/** Options of a query for a list, one page after the other. */
export function list<P extends Path>(path: P, input: Omit<Input<P, 'get'>, 'signal' | 'body'> = {}) {
  return infiniteQueryOptions({
    queryKey: [path, input.path ?? null, input.query ?? null, 'pages'] as const,
    queryFn: ({ signal, pageParam }) => {
      const query = { ...(input.query as object), ...(pageParam === null ? {} : { cursor: pageParam }) };
      return send('get', path, { ...input, query, signal } as Input<P, 'get'>);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page: Answer<P, 'get'>) => (page as Page).next_cursor,
  });
}

/** A list of which all is read has at most this many items. */
const MOST_ITEMS = 1_000;

/** Options of a query for all items of a list, where their order is not that of the page. */
export function everything<P extends Path>(
  path: P,
  input: Omit<Input<P, 'get'>, 'signal' | 'body' | 'path'> = {},
) {
  return queryOptions({
    queryKey: [path, null, input.query ?? null, 'all'] as const,
    queryFn: async ({ signal }) => {
      const items: ItemOf<P>[] = [];
      let cursor: string | null = null;
      do {
        const query: object = { ...(input.query as object), ...(cursor === null ? {} : { cursor }) };
        const page = (await send('get', path, { query, signal } as Input<P, 'get'>)) as Page;
        items.push(...(page.items as ItemOf<P>[]));
        cursor = page.next_cursor;
      } while (cursor !== null && items.length < MOST_ITEMS);
      return { items, isComplete: cursor === null };
    },
  });
}

/** The interval of reads that the stream of events also keeps up to date. */
export const SELDOM = { refetchInterval: 30_000 } as const;

export type ItemOf<P extends Path> = Answer<P, 'get'> extends { items: (infer T)[] } ? T : never;

type Listener = () => void;
let onSessionEnd: Listener = () => undefined;
/** Sets what happens when the API no longer knows the session. */
export function setSessionEndListener(listener: Listener): void {
  onSessionEnd = listener;
}

function isSessionEnd(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_authenticated';
}

/** For requests that are neither queries nor mutations of the client below, such as streams. */
export function noteFailure(error: unknown): void {
  if (isSessionEnd(error)) onSessionEnd();
}

/** A change whose answer was lost may have happened: everything is read again. */
function noteFailedChange(error: unknown): void {
  noteFailure(error);
  if (isOutcomeOpen(error)) void queryClient.invalidateQueries();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && error.retryable && error.status !== 429,
    },
    mutations: { onError: noteFailedChange },
  },
});
