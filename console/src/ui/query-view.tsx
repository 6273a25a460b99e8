import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure, Waiting } from './states';

/** Shows a query while it waits, when it failed, and when it has data. */
export function QueryView<T>({
  query,
  children,
  waiting,
}: {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
  waiting?: ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <>{waiting ?? <Waiting />}</>;
}
