import { Alert, Card, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ApiError } from '../../client/http';
import { isOutcomeOpen } from '../../client/outcome';
import { AgentWords } from '../calls/agent-words';
import { Json } from '../../ui/code-block';
import { AppLink } from '../../ui/link';
import { Checking } from '../../ui/lost-answer';
import { Empty, Failure } from '../../ui/states';
import type { Free } from '../listings/free-text';
import { ReceiptCard } from './receipt';
import type { useRun } from './use-run';

interface ResultProps {
  run: ReturnType<typeof useRun>['run'];
  /** The input was changed after the call. */
  isStale: boolean;
  free: Free | undefined;
}

/** How much of the answer is in view while the call runs. */
const SOME_OF_IT = 120;
const ENDS = ['done', 'failed', 'stopped'];

/** Brings the answer into view when a call begins, and gives it the focus when the call has ended. */
function useInView(state: string) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (state === 'idle' || !place.current) return;
    const { top, bottom } = place.current.getBoundingClientRect();
    const isEnd = ENDS.includes(state);
    const wanted = isEnd ? bottom : Math.min(bottom, top + SOME_OF_IT);
    if (top < 0 || wanted > window.innerHeight) place.current.scrollIntoView({ block: 'start' });
    if (isEnd) place.current.focus({ preventScroll: true });
  }, [state]);
  return place;
}

/** The answer of a call: while it runs, as it streams, and its receipt. */
export function Result({ run, isStale, free }: ResultProps) {
  const place = useInView(run.state);
  if (run.state === 'idle')
    return (
      <Card withBorder padding={0}>
        <Empty title="No answer yet">
          Fill in the input and run the agent. The answer and its receipt appear here.
        </Empty>
      </Card>
    );
  return (
    <Stack
      gap="md"
      aria-live="polite"
      className="result"
      ref={place}
      tabIndex={-1}
      aria-label="Answer"
      role="region"
    >
      {isStale && ENDS.includes(run.state) && (
        <Alert color="yellow" variant="light" role="status">
          The input has changed. This is still the answer to the one before.
        </Alert>
      )}
      {run.state === 'running' && !run.streamed && (
        <Card withBorder>
          <Stack align="center" gap="xs" py="md">
            <Loader size="sm" />
            <Text fz="sm" c="dimmed">
              The agent works …
            </Text>
          </Stack>
        </Card>
      )}
      {run.streamed && (
        <Card withBorder>
          <div className="stream">
            {run.streamed}
            {run.state === 'running' && ' ▍'}
          </div>
        </Card>
      )}
      {run.output !== undefined && <Json value={run.output} label="output" />}
      {run.isExpired && (
        <Alert color="yellow" variant="light">
          This call succeeded before, and its answer is no longer stored. It was charged once.
        </Alert>
      )}
      {run.state === 'checking' && (
        <Checking>
          The same call is asked for again. It is charged at most once; it is also among your{' '}
          <AppLink to="/calls">calls</AppLink>.
        </Checking>
      )}
      {run.state === 'failed' && <Failed error={run.error} />}
      {run.state === 'stopped' && (
        <Text fz="sm" c="dimmed">
          You stopped the call. What was delivered is charged: the receipt is among your{' '}
          <AppLink to="/calls">calls</AppLink>.
        </Text>
      )}
      {run.receipt && <ReceiptCard receipt={run.receipt} free={free} />}
    </Stack>
  );
}

/** Says that nothing was charged only when that is known. */
function Failed({ error }: { error: unknown }) {
  return (
    <>
      <Failure error={error} />
      {error instanceof ApiError && <AgentWords text={error.call.agentMessage} />}
      <Text fz="sm" c="dimmed">
        {isOutcomeOpen(error) ? (
          <>
            Your <AppLink to="/calls">calls</AppLink> show what was charged. Run again with the same input to
            get the answer of this call: it is not charged twice.
          </>
        ) : (
          'Nothing was charged.'
        )}{' '}
        {error instanceof ApiError && error.call.id !== undefined && (
          <AppLink to={`/calls/${error.call.id}`}>Show this call</AppLink>
        )}
      </Text>
    </>
  );
}
