import { Card, Text } from '@mantine/core';
import { formatDuration, formatWhole } from '../../ui/format';
import { Id } from '../../ui/id';
import { LinkButton } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Facts } from '../../ui/page';
import { freeText, type Free } from '../listings/free-text';
import type { Receipt } from './use-run';

/** What a call cost, and where it is found again. */
export function ReceiptCard({
  receipt: { usage, invocation_id: id, trace_id: traceId },
  free,
}: {
  receipt: Receipt;
  free: Free | undefined;
}) {
  return (
    <Card withBorder component="section" aria-label="Receipt">
      <Text fw={600} mb="sm">
        Receipt
      </Text>
      <Facts
        rows={[
          [
            'Charged',
            <span key="charged">
              <Credits value={usage.credits_charged} />
              {usage.credits_charged === 0 && ': this call was free'}
              {usage.credits_charged === 0 && free && ` (${freeText(free)})`}
            </span>,
          ],
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
