import { Card, Loader, Stack, Text } from '@mantine/core';
import { isOutcomeOpen } from '../../client/outcome';
import { Json } from '../../ui/code-block';
import { formatDuration, formatWhole } from '../../ui/format';
import { Id } from '../../ui/id';
import { AppLink, LinkButton } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Facts } from '../../ui/page';
import { Checking } from '../../ui/lost-answer';
import { Empty, Failure } from '../../ui/states';
import type { Receipt, useRun } from './use-run';

/** The answer of a call: while it runs, as it streams, and its receipt. */
export function Result({ run }: { run: ReturnType<typeof useRun>['run'] }) {
  if (run.state === 'idle')
    return (
      <Card withBorder padding={0}>
        <Empty title="No answer yet">
          Fill in the input and run the agent. The answer and its receipt appear here.
        </Empty>
      </Card>
    );
  return (
    <Stack gap="md" aria-live="polite">
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
      {run.receipt && <ReceiptCard receipt={run.receipt} />}
    </Stack>
  );
}

/** Says that nothing was charged only when that is known. */
function Failed({ error }: { error: unknown }) {
  return (
    <>
      <Failure error={error} />
      <Text fz="sm" c="dimmed">
        {isOutcomeOpen(error) ? (
          <>
            Your <AppLink to="/calls">calls</AppLink> show what was charged. Run again with the same input to
            get the answer of this call: it is not charged twice.
          </>
        ) : (
          'Nothing was charged.'
        )}
      </Text>
    </>
  );
}

function ReceiptCard({ receipt: { usage, invocation_id: id, trace_id: traceId } }: { receipt: Receipt }) {
  return (
    <Card withBorder component="section" aria-label="Receipt">
      <Text fw={600} mb="sm">
        Receipt
      </Text>
      <Facts
        rows={[
          ['Charged', <Credits key="charged" value={usage.credits_charged} />],
          ['Duration', formatDuration(usage.duration_ms)],
          usage.tokens_in + usage.tokens_out > 0 && [
            'Tokens',
            `${formatWhole(usage.tokens_in)} in, ${formatWhole(usage.tokens_out)} out`,
          ],
          ['Call', <Id key="id" value={id} />],
          ['Trace', <Id key="trace" value={traceId} />],
        ]}
      />
      <LinkButton to={`/calls/${id}`} variant="default" size="xs" mt="md" w="max-content">
        Show this call
      </LinkButton>
    </Card>
  );
}
