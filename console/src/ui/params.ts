import { useNavigate, useParams, useSearch } from '@tanstack/react-router';

/** A part of the page's address, such as the id in `/calls/$invocationId`. */
export function useParam(name: string): string {
  const params: Record<string, unknown> = useParams({ strict: false });
  return typeof params[name] === 'string' ? params[name] : '';
}

/** A value from the query of the page's address. */
export function useSearchValue(name: string): string | undefined {
  const search: Record<string, unknown> = useSearch({ strict: false });
  return typeof search[name] === 'string' ? search[name] : undefined;
}

/** Changes values in the query of the page's address. An empty one is removed. Back returns to the values before. */
export function useChangeSearch(): (values: Record<string, string | null>) => void {
  const navigate = useNavigate();
  return (values) => {
    const search = (before: Record<string, unknown>) =>
      Object.fromEntries(Object.entries({ ...before, ...values }).filter(([, value]) => value));
    void navigate({ to: '.', search: search, resetScroll: false });
  };
}
