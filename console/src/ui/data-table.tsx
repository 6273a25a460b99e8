import { Button, Card, Center, Group, Table, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { eachOnce } from './each-once';
import { followRow } from './follow-row';
import { shownText } from './format';
import { PageSize } from './page-size';
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
  /** A click anywhere in a row follows its first link, which is what the keyboard reaches. */
  followsRows?: boolean;
}

/** A table that becomes a list of cards on narrow screens. */
export function DataTable<T>({ label, columns, rows, keyOf, followsRows = false }: TableProps<T>) {
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
          <Table.Tr key={keyOf(row)} {...(followsRows && { className: 'follows', onClick: followRow })}>
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
  /** How many rows a page has, if the reader may choose it. */
  pageSize?: number;
}

/** A list of the API: waiting, failed, empty, and one more page at a time. */
export function ListView<T>({
  query,
  empty,
  summary,
  pageSize,
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
    <Card withBorder padding={0} className={`table-card ${pageSize === undefined ? '' : 'sticky-head'}`}>
      {children(rows)}
      {(summary !== undefined || pageSize !== undefined) && (
        <Group justify="space-between" gap="xs" px="md" py={6}>
          <Text fz="sm" c="dimmed" role="status">
            {(summary ?? countText)(rows, (query.data.pages[0] as PageOf).total)}
          </Text>
          {pageSize !== undefined && <PageSize size={pageSize} />}
        </Group>
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

/** "25 of 310 rows shown." */
function countText(rows: readonly unknown[], total: number | undefined): string {
  return `${shownText(rows.length, total)} ${rows.length === 1 ? 'row' : 'rows'} shown.`;
}

interface ListTableProps<T> extends Omit<TableProps<T>, 'rows'>, ListProps<T> {
  /** Above the list, also while it waits and when it is empty: what downloads it. */
  above?: ReactNode;
}

/** A list of the API as a table. */
export function ListTable<T>({ query, empty, summary, pageSize, above, ...table }: ListTableProps<T>) {
  return (
    <>
      {above && <Group justify="flex-end">{above}</Group>}
      <ListView<T>
        query={query}
        empty={empty}
        {...(summary && { summary })}
        {...(pageSize !== undefined && { pageSize })}
      >
        {(rows) => <DataTable {...table} rows={rows} />}
      </ListView>
    </>
  );
}
