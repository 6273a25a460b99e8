import { Card, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../client/http';
import { get } from '../client/queries';
import { formatDate, formatShare } from '../ui/format';
import { Page, Section } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Part = Answer<'/v1/status', 'get'>['parts'][number];

const NAMES: Readonly<Record<Part['part'], string>> = {
  api: 'Pages and API',
  calls: 'Calls of agents',
  background: 'Payouts, webhooks, mails and tests of agents',
};

/** Whether the marketplace works, for everyone, and how it was in the last 90 days. */
export function StatusPage() {
  const query = useQuery({ ...get('/v1/status'), refetchInterval: 15_000 });
  const works = query.data?.status === 'operational';
  return (
    <Page
      title="Status"
      subtitle={
        query.data && (
          <>
            {works
              ? 'Everything works.'
              : 'Something does not work. It is noticed, and calls that fail cost nothing.'}{' '}
            Seen <Time at={query.data.as_of} ago />.
          </>
        )
      }
    >
      <QueryView query={query}>
        {({ parts }) => (
          <>
            {parts.map((part) => (
              <PartHistory key={part.part} part={part} />
            ))}
          </>
        )}
      </QueryView>
      <Text fz="sm" c="dimmed">
        A minute in which nothing could be noted counts as an outage. Days are in UTC.
      </Text>
    </Page>
  );
}

const GOOD = 0.999;
const FAIR = 0.95;
const kindOf = (share: number | null) =>
  share === null ? 'none' : share >= GOOD ? 'good' : share >= FAIR ? 'fair' : 'poor';

function PartHistory({ part: { part, works, days } }: { part: Part }) {
  const known = days.flatMap(({ share }) => share ?? []);
  const mean = known.length === 0 ? undefined : known.reduce((sum, share) => sum + share, 0) / known.length;
  return (
    <Section
      title={NAMES[part]}
      actions={<Status value={works ? 'ok' : 'failed'} label={works ? 'Works' : 'Does not work'} />}
    >
      <Card withBorder>
        <div className="history" role="img" aria-label={historyText(NAMES[part], mean, known.length)}>
          {days.map(({ date, share }) => (
            <span
              key={date}
              className={kindOf(share)}
              title={`${formatDate(date)}: ${share === null ? 'not noted' : formatShare(share)}`}
            />
          ))}
        </div>
        <Group justify="space-between" mt={6}>
          <Text fz="xs" c="dimmed">
            90 days ago
          </Text>
          <Text fz="xs" c="dimmed">
            {mean === undefined
              ? 'No day is noted yet'
              : `${formatShare(mean)} of ${known.length === 1 ? 'one day' : `${known.length} days`}`}
          </Text>
          <Text fz="xs" c="dimmed">
            today
          </Text>
        </Group>
      </Card>
    </Section>
  );
}

const historyText = (name: string, mean: number | undefined, days: number) =>
  mean === undefined ? `${name}: no day is noted yet` : `${name} worked ${formatShare(mean)} of ${days} days`;
