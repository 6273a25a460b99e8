import { Alert, Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get, SELDOM } from '../../client/queries';
import { formatCode, formatDuration, formatShare, formatWhole } from '../../ui/format';
import { LinkButton } from '../../ui/link';
import { Figure, Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Waiting } from '../../ui/states';
import { Time } from '../../ui/time';
import { Remedy } from './remedy';
import { CreditsByDay, FiguresOverTime } from '../charts/over-time';
import { JobFigures } from '../charts/job-figures';

/** Whether buyers find the agent, and if not, why and what to do. */
export function Visibility({ id }: { id: string }) {
  const query = useQuery({
    ...get('/v1/developer/agents/{agent_id}/visibility', { path: { agent_id: id } }),
    ...SELDOM,
  });
  if (!query.data) return <Waiting lines={1} />;
  if (query.data.listed)
    return (
      <Alert color="green" variant="light" title="Listed">
        Buyers find this agent in the search.
      </Alert>
    );
  const { visibility, reasons } = query.data;
  if (visibility !== 'public' && reasons.length === 0)
    return (
      <Alert color="blue" variant="light" title={visibility === 'private' ? 'Private' : 'Unlisted'}>
        {visibility === 'private'
          ? 'Only you and the accounts below see this agent.'
          : 'No list shows this agent. Everybody who knows its id may call it.'}
      </Alert>
    );
  return (
    <Alert color="yellow" variant="light" title="Why buyers do not find this agent">
      <ul className="problems">
        {reasons.map(({ code, message, deadline, statement }) => (
          <li key={code}>
            {message}
            {deadline && (
              <>
                {' '}
                Until <Time at={deadline} />.
              </>
            )}
            {statement && (
              <blockquote className="stream" dir="auto">
                {statement}
              </blockquote>
            )}
            <Remedy code={code} />
          </li>
        ))}
      </ul>
    </Alert>
  );
}

/** Calls, success and durations of 30 days, and why calls failed. */
export function Figures({ id }: { id: string }) {
  const query = useQuery(get('/v1/agents/{agent_id}/analytics', { path: { agent_id: id } }));
  return (
    <QueryView query={query} waiting={<Waiting lines={1} height={96} />}>
      {(data) => (
        <>
          <Group align="stretch">
            <Figure name="Calls in 30 days">{formatWhole(data.calls)}</Figure>
            <Figure name="Succeed">
              {data.success_rate === null ? '–' : formatShare(data.success_rate)}
            </Figure>
            <Figure name="Median duration">{data.p50_ms === null ? '–' : formatDuration(data.p50_ms)}</Figure>
            <Figure name="95th percentile">{data.p95_ms === null ? '–' : formatDuration(data.p95_ms)}</Figure>
            <JobFigures jobs={data.jobs} />
          </Group>
          {data.calls > 0 && (
            <Card withBorder>
              <Stack gap="lg">
                <FiguresOverTime days={data.days} />
                <CreditsByDay
                  label="Credits earned by day, less fees and refunds"
                  days={data.days.map((one) => ({ day: one.date, credits: one.developer_earnings_credits }))}
                />
              </Stack>
            </Card>
          )}
          {data.errors.length > 0 && (
            <Section
              title="Failed calls by reason"
              actions={
                <LinkButton
                  to={`/developer/agents/${id}/calls`}
                  search={{ status: 'failed' }}
                  variant="default"
                  size="xs"
                >
                  Show each call
                </LinkButton>
              }
            >
              <Card withBorder>
                {data.errors.map(({ code, calls }) => (
                  <Group key={code} justify="space-between">
                    <Text>{formatCode(code)}</Text>
                    <Text className="figures">{formatWhole(calls)}</Text>
                  </Group>
                ))}
              </Card>
            </Section>
          )}
        </>
      )}
    </QueryView>
  );
}
