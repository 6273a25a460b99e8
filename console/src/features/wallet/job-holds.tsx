import { Card, Stack, Text } from '@mantine/core';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { HoldReason, type JobHold } from '../calls/job-hold';

/** Jobs shown beside the balance; the page of calls has all. */
const MOST = 5;

/** The credits that wait with jobs, and what each waits for. */
export function JobHolds({ holds }: { holds: readonly JobHold[] }) {
  if (holds.length === 0) return null;
  return (
    <Card withBorder padding="md" component="section" aria-label="Held for jobs" className="figure">
      <Text fz="sm" c="dimmed" mb={4}>
        Held for jobs
      </Text>
      <Stack gap={4}>
        {holds.slice(0, MOST).map((hold) => (
          <Text size="sm" key={hold.invocation_id}>
            <Credits value={hold.credits} /> for{' '}
            <AppLink to={`/calls/${hold.invocation_id}`}>{hold.agent_id}</AppLink>: <HoldReason hold={hold} />
          </Text>
        ))}
        {holds.length > MOST && <Text size="sm">and {holds.length - MOST} more jobs</Text>}
      </Stack>
    </Card>
  );
}
