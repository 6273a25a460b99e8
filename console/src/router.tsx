import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { networkError } from './client/http';
import { BrokenPage, PendingPage } from './pages/broken';
import { NotFoundPage } from './pages/not-found';
import { RootLayout } from './pages/root-layout';
import { SearchPage } from './pages/search';
import { PAGES } from './page-table';
import { everything, get, list, queryClient } from './client/queries';
import { readsOf } from './reads';

/** Asks for what a page reads first, so that it comes while the code of the page is loaded. */
function readFor(path: string, params: Readonly<Record<string, string>>, search: string): void {
  for (const { kind, path: operation, input } of readsOf(path, params, search)) {
    if (kind === 'one') void queryClient.prefetchQuery(get(operation, input as never));
    if (kind === 'list') void queryClient.prefetchInfiniteQuery(list(operation, input as never));
    if (kind === 'all') void queryClient.prefetchQuery(everything(operation, input as never));
  }
}

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundPage });

export interface Search {
  q?: string;
  category?: string;
  badge?: string;
  sort?: string;
  max_price?: number;
  developer_id?: string;
  protocol?: string;
  residency?: string;
  min_success_rate?: number;
  max_p50_ms?: number;
  max_retention_days?: number;
  streaming?: boolean;
  jobs?: boolean;
}

/** The query of an address as texts: a word such as `2024` or `true` stays a word. */
const parseSearch = (query: string) => Object.fromEntries(new URLSearchParams(query));
function stringifySearch(values: Record<string, unknown>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? '' : `?${query}`;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const finite = (value: number) => (Number.isFinite(value) ? value : undefined);
const search = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: SearchPage,
  loader: ({ location }) => readFor('/', {}, location.searchStr),
  validateSearch: (input: Record<string, unknown>): Search => {
    const price = Number(input['max_price']);
    const number = (name: string) =>
      text(input[name]) === undefined ? undefined : finite(Number(input[name]));
    const flag = (name: string) => ({ true: true, false: false })[String(input[name])];
    const values = {
      q: text(input['q']),
      category: text(input['category']),
      badge: text(input['badge']),
      sort: text(input['sort']),
      developer_id: text(input['developer_id']),
      max_price: Number.isFinite(price) && price > 0 ? price : undefined,
      protocol: text(input['protocol']),
      residency: text(input['residency']),
      min_success_rate: number('min_success_rate'),
      max_p50_ms: number('max_p50_ms'),
      max_retention_days: number('max_retention_days'),
      streaming: flag('streaming'),
      jobs: flag('jobs'),
    };
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  },
});

/** How long the page before stays while the code of the next one is on its way. */
const PENDING_MS = 400;

/**
 * Why the code of a page did not come. The router loads the whole console again when a file is gone, as after an
 * upgrade; without an answer at all, that would end in the browser's own page and lose what was typed.
 */
async function whyNot(error: unknown): Promise<never> {
  const answer = await fetch('/console/icon.svg', { method: 'HEAD', cache: 'no-store' }).catch(
    () => undefined,
  );
  if (answer) throw error;
  throw networkError();
}

/** A page whose code is loaded when it is visited, and what it reads first at the same time. */
const visited = PAGES.map(({ path, load, name }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(() => load().catch(whyNot), name),
    loader: ({ params, location }) => readFor(path, params, location.searchStr),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([search, ...visited]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: PendingPage,
  defaultPendingMs: PENDING_MS,
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
});
