import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { send, type Input, type Path } from '../client/http';
import type { ItemOf } from '../client/queries';
import { csvOf, rowsOf, type CsvColumn } from './csv';
import { formatWhole } from './format';

const MOST_ROWS = 10_000;
const PAGE = 100;

interface ExportProps<P extends Path> {
  path: P;
  input?: { path?: object; query?: object };
  /** The name of the file, without its ending. */
  name: string;
  columns: readonly CsvColumn<ItemOf<P>>[];
}

/** Downloads a list as CSV: what the filters of the page let through, page by page, up to 10,000 rows. */
export function ExportButton<P extends Path>({ path, input = {}, name, columns }: ExportProps<P>) {
  const download = useMutation({
    mutationFn: async () => {
      const { rows, isWhole } = await rowsOf<ItemOf<P>>(async (cursor) => {
        const query = { ...input.query, limit: PAGE, ...(cursor === null ? {} : { cursor }) };
        const page: unknown = await send('get', path, { ...input, query } as Input<P, 'get'>);
        return page as { items: ItemOf<P>[]; next_cursor: string | null };
      }, MOST_ROWS);
      save(csvOf(columns, rows), `${name}.csv`);
      return { count: rows.length, isWhole };
    },
    onSuccess: ({ count, isWhole }) =>
      notifications.show(
        isWhole
          ? { message: `${formatWhole(count)} rows are in the file.`, color: 'green' }
          : {
              message: `The file has the first ${formatWhole(count)} rows. Choose a shorter time for the others.`,
              color: 'yellow',
            },
      ),
    onError: () => notifications.show({ message: 'The file could not be made. Try again.', color: 'red' }),
  });
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={download.isPending}
      onClick={() => download.mutate()}
    >
      CSV
    </Button>
  );
}

function save(text: string, name: string): void {
  // Spreadsheets take a file without the mark for one of their own encoding.
  const address = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
