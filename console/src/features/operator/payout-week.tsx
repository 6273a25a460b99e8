import { Card, Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import { formatCode, formatDate, formatDuration, formatWhole } from '../../ui/format';
import { DataTable } from '../../ui/data-table';
import { Figure, Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Credits, Money } from '../../ui/money';
import { Empty, Waiting } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { nextMonday } from '../payouts/next-payout';

/** When the next payouts are made, and those that are in progress by state. */
export function NextRun() {
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

type WeekGroup = Answer<'/v1/operator/payout-weeks/{monday}', 'get'>['groups'][number];
const WEEK_MS = 7 * 86_400_000;

/** The day of the Monday before the next one. */
const lastMonday = () => new Date(Date.parse(nextMonday()) - WEEK_MS).toISOString().slice(0, 10);

/** The totals of one week, and the choice of the week that the list shows. */
export function WeekTotals({
  monday,
  onChange,
}: {
  monday: string | undefined;
  onChange: (monday: string | null) => void;
}) {
  const shown = monday ?? lastMonday();
  const query = useQuery(get('/v1/operator/payout-weeks/{monday}', { path: { monday: shown } }));
  const mondays = [...new Set([shown, ...(query.data?.mondays ?? [])])].sort().reverse();
  return (
    <Section
      title={`Week of ${formatDate(shown)}`}
      actions={
        <Select
          size="xs"
          w={200}
          clearable
          placeholder="All weeks"
          aria-label="Week"
          value={monday ?? null}
          onChange={onChange}
          data={mondays.map((value) => ({ value, label: formatDate(value) }))}
        />
      }
    >
      <QueryView query={query} waiting={<Waiting lines={1} height={96} />}>
        {({ groups }) => (
          <Card withBorder padding={0} className="table-card">
            {groups.length === 0 ? (
              <Empty title="No payouts in this week" />
            ) : (
              <DataTable<WeekGroup>
                label="Totals of the week"
                rows={groups}
                keyOf={(one) => `${one.status} ${one.currency}`}
                columns={[
                  { title: 'State', cell: (one) => <Status value={one.status} /> },
                  { title: 'Payouts', right: true, cell: (one) => formatWhole(one.payouts) },
                  {
                    title: 'Credits',
                    right: true,
                    cell: (one) => <Credits value={one.credits} unit={false} />,
                  },
                  {
                    title: 'Total',
                    right: true,
                    cell: (one) => <Money minor={one.amount_minor} currency={one.currency} />,
                  },
                ]}
              />
            )}
          </Card>
        )}
      </QueryView>
    </Section>
  );
}
