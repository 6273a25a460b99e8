import { formatCode, formatSurface, formatWhole } from '../../ui/format.ts';

interface Count {
  status: string;
  count: number;
  kind?: string;
  surface?: string;
}

const nounOf = (kind: string, count: number) =>
  count === 1 ? kind : `${kind}${kind.endsWith('sh') ? 'es' : 's'}`;

/** What waits, by its state: "4 disputes contested, 1 slash applied". */
export const countsText = (rows: readonly Count[]): string =>
  rows.length === 0
    ? 'None'
    : rows
        .map(({ status, count, kind, surface }) =>
          [
            formatWhole(count),
            kind && nounOf(kind, count),
            formatCode(status).toLowerCase(),
            surface && `by ${formatSurface(surface)}`,
          ]
            .filter(Boolean)
            .join(' '),
        )
        .join(', ');
