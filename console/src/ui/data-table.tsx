import { Button, Card, Center, Table, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { eachOnce } from './each-once';
import { Failure, Waiting } from './states';

export interface Column<T> {
  title: string;
  cell: (row: T) => ReactNode;
  /** Figures and amounts stand at the right. */
  right?: boolean;
}

interface TableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}

/** A table that becomes a list of cards on narrow screens. */
export function DataTable<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    <Table
      className="data-table"
      verticalSpacing="xs"
      horizontalSpacing="md"
      aria-label={label}
      highlightOnHover
    >
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ title, right }) => (
            <Table.Th key={title} ta={right ? 'right' : undefined} scope="col">
              {title || <span className="visually-hidden">Actions</span>}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {eachOnce(rows, keyOf).map((row) => (
          <Table.Tr key={keyOf(row)}>
            {columns.map(({ title, cell, right }) => (
              <Table.Td key={title} data-label={title} ta={right ? 'right' : undefined}>
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface PageOf {
  items: unknown[];
  next_cursor: string | null;
  total?: number;
}

interface ListProps<T = unknown> {
  query: UseInfiniteQueryResult<InfiniteData<unknown>>;
  empty: ReactNode;
  /** Below the rows: what they add up to. */
  summary?: (rows: readonly T[], total: number | undefined) => ReactNode;
}

/** A list of the API: waiting, failed, empty, and one more page at a time. */
export function ListView<T>({
  query,
  empty,
  summary,
  children,
}: ListProps<T> & { children: (rows: readonly T[]) => ReactNode }) {
  if (query.isPending) return <Waiting />;
  if (!query.data) return <Failure error={query.error} retry={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap((page) => (page as PageOf).items as T[]);
  if (rows.length === 0)
    return (
      <Card withBorder padding={0}>
        {empty}
      </Card>
    );
  return (
    <Card withBorder padding={0} className="table-card">
      {children(rows)}
      {summary && (
        <Text fz="sm" c="dimmed" px="md" py={6} role="status">
          {summary(rows, (query.data.pages[0] as PageOf).total)}
        </Text>
      )}
      {query.isError && <Failure error={query.error} retry={() => void query.fetchNextPage()} />}
      {query.hasNextPage && (
        <Center p="xs">
          <Button
            variant="subtle"
            size="compact-sm"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        </Center>
      )}
    </Card>
  );
}

/** A list of the API as a table. */
export function ListTable<T>({
  query,
  empty,
  summary,
  ...table
}: Omit<TableProps<T>, 'rows'> & ListProps<T>) {
  return (
    <ListView<T> query={query} empty={empty} {...(summary && { summary })}>
      {(rows) => <DataTable {...table} rows={rows} />}
    </ListView>
  );
}
