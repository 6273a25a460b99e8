import { Tooltip } from '@mantine/core';
import { formatDate, formatPrecise, formatRelative, formatSeconds, formatTime } from './format';

const TOUCHED_TOO = { hover: true, focus: true, touch: true };

interface TimeProps {
  at: string;
  /** As a distance from now. */
  ago?: boolean;
  /** To the second, for lists of what happens many times a minute. */
  seconds?: boolean;
  /** To the millisecond. */
  precise?: boolean;
}

/** A time in the reader's locale; UTC on hover. */
export function Time({ at, ago = false, seconds = false, precise = false }: TimeProps) {
  const exact = precise ? formatPrecise : seconds ? formatSeconds : formatTime;
  const format = ago ? formatRelative : exact;
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
