import { Card, Group, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import type { Answer } from '../client/http';
import { get } from '../client/queries';
import { JobFigures } from '../features/charts/job-figures';
import { Bars } from '../ui/bars';
import { formatDay, formatDuration, formatShare, formatWhole } from '../ui/format';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Figure, Page, Section } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Time } from '../ui/time';

type FiguresAnswer = Answer<'/v1/operator/figures', 'get'>;
type Sums = Omit<FiguresAnswer['last_hour'], 'minutes'>;
const MINUTES = 60;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS = 30;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** What happens on the marketplace: the last hour by minute, and 30 days. */
export function OperatorFiguresPage() {
  const query = useQuery({ ...get('/v1/operator/figures'), refetchInterval: 15_000 });
  return (
    <Page
      title="Numbers"
      subtitle={
        query.data && (
          <>
            As of <Time at={query.data.as_of} ago />. {formatWhole(query.data.open_calls)} calls are in
            progress.
          </>
        )
      }
    >
      <QueryView query={query}>
        {(figures) => (
          <>
            <Figures
              title="The last hour"
              sums={figures.last_hour}
              by="minute"
              barsOf={(value) => minutesOf(figures, value)}
            />
            <Figures
              title="30 days"
              sums={figures.last_30_days}
              by="day"
              barsOf={(value) => daysOf(figures, value)}
            />
          </>
        )}
      </QueryView>
    </Page>
  );
}

interface FiguresProps {
  title: string;
  sums: Sums;
  by: 'minute' | 'day';
  barsOf: (value: Value) => ComponentProps<typeof Bars>['bars'];
}

/** The sums of a time, and its calls and credits as bars. */
function Figures({ title, sums, by, barsOf }: FiguresProps) {
  return (
    <Section title={title}>
      <SumFigures sums={sums} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card withBorder>
          <Bars title={`Calls by ${by}`} bars={barsOf('calls')} format={formatWhole} />
        </Card>
        <Card withBorder>
          <Bars title={`Credits by ${by}`} bars={barsOf('volume_credits')} format={formatWhole} />
        </Card>
      </SimpleGrid>
    </Section>
  );
}

function SumFigures({ sums }: { sums: Sums }) {
  const rate = sums.calls > 0 ? formatShare(sums.agent_errors / sums.calls) : '–';
  return (
    <Group align="stretch">
      <Figure name="Calls" note={<AppLink to="/operator/calls">{formatWhole(sums.failed)} failed</AppLink>}>
        {formatWhole(sums.calls)}
      </Figure>
      <Figure
        name="Errors of agents"
        note={sums.agent_errors === 1 ? 'one call' : `${formatWhole(sums.agent_errors)} calls`}
      >
        {rate}
      </Figure>
      <Figure name="95th percentile">{sums.p95_ms === null ? '–' : formatDuration(sums.p95_ms)}</Figure>
      <JobFigures jobs={sums.jobs} />
      <Figure
        name="Volume"
        note={
          <>
            <Credits value={sums.refunded_credits} /> refunded
          </>
        }
      >
        <Credits value={sums.volume_credits} />
      </Figure>
      <Figure name="Fees">
        <Credits value={sums.fees_credits} />
      </Figure>
      <Figure name="New accounts" note={<AppLink to="/operator/accounts">Show them</AppLink>}>
        {formatWhole(sums.new_accounts)}
      </Figure>
    </Group>
  );
}

type Value = 'calls' | 'volume_credits';

function barOf(label: string, found: (Record<Value, number> & { failed: number }) | undefined, value: Value) {
  return { label, value: found?.[value] ?? 0, ...(value === 'calls' ? { bad: found?.failed ?? 0 } : {}) };
}

/** One bar for each minute of the hour, also where nothing ended. */
function minutesOf({ as_of: asOf, last_hour: { minutes } }: FiguresAnswer, value: Value) {
  const last = Math.floor(new Date(asOf).getTime() / MINUTE_MS) * MINUTE_MS;
  const known = new Map(minutes.map((minute) => [new Date(minute.at).getTime(), minute]));
  return Array.from({ length: MINUTES }, (_none, index) => {
    const at = last - (MINUTES - 1 - index) * MINUTE_MS;
    return barOf(clock.format(at), known.get(at), value);
  });
}

/** One bar for each of the 30 UTC days. */
function daysOf({ as_of: asOf, last_30_days: { days } }: FiguresAnswer, value: Value) {
  const known = new Map(days.map((day) => [day.date, day]));
  return Array.from({ length: DAYS }, (_none, index) => {
    const date = new Date(new Date(asOf).getTime() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return barOf(formatDay(date), known.get(date), value);
  });
}
