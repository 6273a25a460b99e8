import { Alert, Button, Group, Text } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../client/http';
import { Time } from '../../ui/time';
import { staleSince, type Reading } from './stale';

/** How often the page looks whether its readings failed. */
const LOOK_MS = 2_000;
const NO_ANSWER = new Set([0, 502, 503, 504]);

const readingOf = (query: Query): Reading => {
  const { fetchFailureReason: retried, error, dataUpdatedAt, errorUpdatedAt } = query.state;
  const failure = retried ?? error;
  return {
    isShown: query.getObserversCount() > 0,
    dataAt: dataUpdatedAt,
    failedAt: retried ? Date.now() : errorUpdatedAt,
    isUnreachable: failure instanceof ApiError && NO_ANSWER.has(failure.status),
  };
};

/** Says that the browser is offline, or that the page shows old data because the marketplace does not answer. */
export function Connection() {
  const queries = useQueryClient();
  const { online } = useNetwork();
  const [since, setSince] = useState<number>();
  useEffect(() => {
    const look = () => setSince(staleSince(queries.getQueryCache().getAll().map(readingOf)));
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [queries]);
  if (online && since === undefined) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      mb="lg"
      title="Not connected"
      className="banner no-print"
      role="alert"
    >
      <Group gap="sm" justify="space-between">
        <Text fz="sm" component="div">
          {online ? 'The marketplace does not answer.' : 'This device is offline.'}{' '}
          {since !== undefined && since > 0 ? (
            <>
              What you see is of <Time at={new Date(since).toISOString()} ago />, and may have changed.
            </>
          ) : (
            'What you see may be old.'
          )}
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => void queries.invalidateQueries()}>
          Try again
        </Button>
      </Group>
    </Alert>
  );
}
