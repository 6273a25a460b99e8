import { Tooltip } from '@mantine/core';
import { formatRelative, formatTime } from './format';

/** A time in the reader's locale; UTC on hover and focus. */
export function Time({ at, ago = false }: { at: string; ago?: boolean }) {
  return (
    <Tooltip label={`${at.replace('T', ' ').replace('Z', '')} UTC`} withArrow>
      <time dateTime={at} className="nowrap">
        {ago ? formatRelative(at) : formatTime(at)}
      </time>
    </Tooltip>
  );
}
