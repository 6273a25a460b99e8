import { SegmentedControl } from '@mantine/core';
import { useChangeSearch, useSearchValue } from './params';

const SIZES = [25, 100];
const [USUAL = 25] = SIZES;

/** How many rows a page of the list has, as the address of the page says. */
export function usePageSize(): number {
  const chosen = Number(useSearchValue('rows'));
  return SIZES.includes(chosen) ? chosen : USUAL;
}

/** Chooses how many rows are read at a time. */
export function PageSize({ size }: { size: number }) {
  const change = useChangeSearch();
  return (
    <SegmentedControl
      size="xs"
      aria-label="Rows read at a time"
      value={String(size)}
      onChange={(value) => change({ rows: Number(value) === USUAL ? null : value })}
      data={SIZES.map((rows) => ({ value: String(rows), label: `${rows} rows` }))}
    />
  );
}
