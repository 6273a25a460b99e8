import { useInterval } from '@mantine/hooks';
import { useState } from 'react';

const SECOND_MS = 1_000;

/** The time that is left until a deadline, second by second. The service alone decides whether it has passed. */
export function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), SECOND_MS, { autoInvoke: true });
  const left = Math.floor((Date.parse(until) - now) / SECOND_MS);
  if (left <= 0) return <>The time is over</>;
  const parts = [
    [Math.floor(left / 86_400), 'd'],
    [Math.floor(left / 3_600) % 24, 'h'],
    [Math.floor(left / 60) % 60, 'min'],
    [left % 60, 's'],
  ] as const;
  const first = parts.findIndex(([value]) => value > 0);
  return (
    <span className="figures nowrap" role="timer">
      {parts
        .slice(first)
        .map(([value, unit]) => `${value} ${unit}`)
        .join(' ')}
    </span>
  );
}
