import { Card, Text } from '@mantine/core';
import { formatDuration, formatWhole } from '../../ui/format';
import { Id } from '../../ui/id';
import { LinkButton } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Facts } from '../../ui/page';
import { freeText, type Pricing } from '../listings/price';
import type { Receipt } from './use-run';

/** Why a call was not charged: by its price, or as one of the free calls of the month. */
function freeReason(pricing: Pricing): string {
  const free = freeText(pricing);
  return free === undefined ? 'this call was free' : `${free.charAt(0).toLowerCase()}${free.slice(1)}`;
}

/** What a call cost, and where it is found again. */
export function ReceiptCard({
  receipt: { usage, invocation_id: id, trace_id: traceId },
  pricing,
}: {
  receipt: Receipt;
  pricing: Pricing;
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
              {usage.credits_charged === 0 && `: ${freeReason(pricing)}`}
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
