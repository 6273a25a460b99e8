import { Badge, Button, Card, Group, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { Json } from '../../ui/code-block';
import { AppLink, LinkButton } from '../../ui/link';
import { useMay } from '../../ui/owner';
import { Section } from '../../ui/page';
import { Failure } from '../../ui/states';
import { Time } from '../../ui/time';
import { draftOf } from '../playground/draft';
import type { CallDetail } from './call-steps';

/** What the account keeps of a call, while it is read and after. */
export type CallBodies = UseQueryResult<Answer<'/v1/invocations/{invocation_id}/bodies', 'get'>>;
type Part = 'input' | 'output';

/** What the account keeps of a call; it is read again when the call is over, since the output is kept then. */
export function useBodies(invocationId: string, isOver: boolean): CallBodies {
  const query = get('/v1/invocations/{invocation_id}/bodies', { path: { invocation_id: invocationId } });
  const may = useMay('call');
  const bodies = useQuery({ ...query, enabled: may });
  const { refetch } = bodies;
  const wasRunning = useRef(false);
  useEffect(() => {
    if (may && isOver && wasRunning.current) void refetch();
    wasRunning.current = !isOver;
  }, [may, isOver, refetch]);
  return bodies;
}

/** Starts another call of the agent, with the input of this one if it is kept. */
export function CallAgain({ agentId, bodies }: { agentId: string; bodies: CallBodies }) {
  const navigate = useNavigate();
  const input = bodies.data?.input?.value;
  const path = `/agents/${agentId}/try`;
  if (bodies.isPending)
    return (
      <Button variant="default" size="xs" disabled>
        Call again
      </Button>
    );
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return (
      <LinkButton to={path} variant="default" size="xs">
        Call again
      </LinkButton>
    );
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => {
        draftOf(agentId).keep(input as Record<string, unknown>);
        void navigate({ to: path });
      }}
    >
      Call again with this input
    </Button>
  );
}

/** The input and the output of a call, as far as they are stored, and how to erase them. */
export function Bodies({ call, bodies }: { call: CallDetail; bodies: CallBodies }) {
  const { invocation_id: id } = call;
  const { data } = bodies;
  const input = data?.input?.value;
  const output = data?.output ? data.output.value : call.output;
  const isStored = input !== undefined || output !== undefined;
  return (
    <Section
      title="Input and output"
      actions={
        isStored && (
          <Ask
            action="Erase"
            danger
            question="The input and the output of this call are deleted at once, also the answer for a repeated idempotency key. Attachments of a dispute stay."
            done="The input and the output are erased."
            run={() =>
              send('delete', '/v1/invocations/{invocation_id}/bodies', { path: { invocation_id: id } })
            }
          />
        )
      }
    >
      <Card withBorder>
        {bodies.isLoadingError && <Failure error={bodies.error} retry={() => void bodies.refetch()} />}
        <OnePart part="input" value={input} bodies={bodies} />
        <OnePart part="output" value={output} bodies={bodies} note={noOutput(call)} />
        {data?.kept_until && (
          <Text fz="xs" c="dimmed" mt="sm">
            Kept until <Time at={data.kept_until} />, encrypted. Only you can read them.
          </Text>
        )}
      </Card>
    </Section>
  );
}

function noOutput({ status }: CallDetail): string | undefined {
  if (status === 'failed') return 'A failed call has no output.';
  return status === 'pending' || status === 'running' ? 'The agent has not answered yet.' : undefined;
}

interface PartProps {
  part: Part;
  value: unknown;
  bodies: CallBodies;
  note?: string | undefined;
}

function OnePart({ part, value, bodies, note }: PartProps) {
  const { content_type: type, encoding } = bodies.data?.[part] ?? {};
  return (
    <>
      <Group gap="xs" mt={part === 'output' ? 'md' : 0}>
        <Text fw={600} fz="sm">
          {part === 'input' ? 'Input' : 'Output'}
        </Text>
        {type && <Badge variant="default">{encoding ? `${type}, base64` : type}</Badge>}
      </Group>
      {value === undefined ? (
        <Text c="dimmed" fz="sm">
          {note ?? <Missing part={part} bodies={bodies} />}
        </Text>
      ) : (
        <Json value={value} label={part} />
      )}
    </>
  );
}

function Missing({ part, bodies: { data, isPending } }: { part: Part; bodies: CallBodies }) {
  if (data === undefined) return <>{isPending ? 'Loading …' : 'It could not be read.'}</>;
  if (data.too_large.includes(part)) return <>It has more than 256 KiB, which is the most that is kept.</>;
  return (
    <>
      It is not stored. <AppLink to="/account">Your account</AppLink> can keep the inputs and outputs of your
      next calls.
    </>
  );
}
