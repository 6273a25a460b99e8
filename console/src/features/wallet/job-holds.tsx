import { Card, Stack, Text } from '@mantine/core';
import type { Answer } from '../../client/http';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Time } from '../../ui/time';

type Hold = Answer<'/v1/billing/balance', 'get'>['held_for_jobs'][number];

/** Jobs shown beside the balance; the page of calls has all. */
const MOST = 5;

/** The credits that wait with jobs, and what each waits for. */
export function JobHolds({ holds }: { holds: readonly Hold[] }) {
  if (holds.length === 0) return null;
  return (
    <Card withBorder aria-label="Held for jobs">
      <Stack gap={4}>
        {holds.slice(0, MOST).map((hold) => (
          <Text size="sm" key={hold.invocation_id}>
            <Credits value={hold.credits} /> for{' '}
            <AppLink to={`/calls/${hold.invocation_id}`}>{hold.agent_id}</AppLink>
            {hold.waits_for === 'settlement' ? (
              ': it has answered'
            ) : hold.waits_for === 'buyer' ? (
              ': it waits for your answer to its question'
            ) : (
              <>
                : it must answer until <Time at={hold.ends_at} />
              </>
            )}
          </Text>
        ))}
        {holds.length > MOST && <Text size="sm">and {holds.length - MOST} more jobs</Text>}
      </Stack>
    </Card>
  );
}
