import { Tooltip } from '@mantine/core';
import { formatDate, formatPrecise, formatRelative, formatTime } from './format';

const TOUCHED_TOO = { hover: true, focus: true, touch: true };

/** A time in the reader's locale, as a distance from now (`ago`) or to the millisecond (`precise`); UTC on hover. */
export function Time({ at, ago = false, precise = false }: { at: string; ago?: boolean; precise?: boolean }) {
  const format = ago ? formatRelative : precise ? formatPrecise : formatTime;
  return (
    <Tooltip label={`${at.replace('T', ' ').replace('Z', '')} UTC`} events={TOUCHED_TOO} withArrow>
      <time dateTime={at} className="nowrap">
        <bdi>{format(at)}</bdi>
      </time>
    </Tooltip>
  );
}

/** A day in UTC, such as `2026-11-02`, in the reader's locale. */
export function Day({ date }: { date: string }) {
  return (
    <Tooltip label={`${date} UTC`} events={TOUCHED_TOO} withArrow>
      <time dateTime={date} className="nowrap">
        <bdi>{formatDate(date)}</bdi>
      </time>
    </Tooltip>
  );
}
