import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { formatCode, formatDuration, formatWhole } from '../../ui/format';
import { Figure } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Waiting } from '../../ui/states';
import { Time } from '../../ui/time';
import { nextMonday } from '../payouts/next-payout';

/** When the next payouts are made, and those that are in progress by state. */
export function Monday() {
  const query = useQuery({ ...get('/v1/operator/platform'), refetchInterval: 15_000 });
  return (
    <QueryView query={query} waiting={<Waiting lines={1} height={96} />}>
      {({ queues: { payouts } }) => (
        <Group align="stretch">
          <Figure name="Next run" note={<Time at={nextMonday()} />}>
            <Time at={nextMonday()} ago />
          </Figure>
          {payouts.length === 0 && (
            <Figure name="In progress" note="every payout has ended">
              0
            </Figure>
          )}
          {payouts.map(({ status, count, oldest_seconds: seconds }) => (
            <Figure
              key={status}
              name={formatCode(status)}
              note={`the oldest for ${formatDuration(seconds * 1_000)}`}
            >
              {formatWhole(count)}
            </Figure>
          ))}
        </Group>
      )}
    </QueryView>
  );
}
