import { Button, Collapse, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ItemOf } from '../../client/queries';
import { CodeBlock, Json } from '../../ui/code-block';
import { formatCode, formatDuration } from '../../ui/format';
import { Time } from '../../ui/time';

type Delivery = ItemOf<'/v1/webhooks/{webhook_id}/deliveries'>;
type Attempt = Delivery['attempts'][number];

/** What was sent, what each attempt was answered, and when the next one comes. */
export function DeliveryDetail({ delivery }: { delivery: Delivery }) {
  const { attempts, status, next_attempt_at: next, body, event_id: eventId } = delivery;
  const [opened, { toggle }] = useDisclosure();
  const last = attempts.at(-1);
  return (
    <Stack gap={2}>
      <Text fz="xs" component="div">
        {last ? <Outcome attempt={last} count={attempts.length} /> : 'None yet'}
      </Text>
      {status === 'pending' && next !== null && (
        <Text fz="xs" c="dimmed" component="div">
          Next <Time at={next} />
        </Text>
      )}
      <div>
        <Button variant="subtle" size="compact-xs" px={0} onClick={toggle} aria-expanded={opened}>
          {opened ? 'Hide request and answers' : 'Show request and answers'}
        </Button>
      </div>
      <Collapse in={opened}>
        {opened && (
          <Stack gap="xs" maw={560}>
            <Text fz="xs" c="dimmed">
              Sent as POST with webhook-id {eventId}
            </Text>
            <Json value={body} label="body of the event" />
            {attempts.map((attempt) => (
              <div key={attempt.attempt}>
                <Text fz="xs" component="div">
                  <Outcome attempt={attempt} count={attempt.attempt} />, <Time at={attempt.at} precise />
                </Text>
                {attempt.answer !== null && (
                  <CodeBlock text={attempt.answer} label={`answer of attempt ${attempt.attempt}`} />
                )}
              </div>
            ))}
          </Stack>
        )}
      </Collapse>
    </Stack>
  );
}

function Outcome({
  attempt: { status, error, duration_ms: ms },
  count,
}: {
  attempt: Attempt;
  count: number;
}) {
  const outcome = status === null ? formatCode(error ?? 'failed') : `HTTP ${status}`;
  return (
    <>
      {count}. {outcome}, {formatDuration(ms)}
    </>
  );
}
