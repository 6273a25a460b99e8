import { Badge, Button, Card, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { Json } from '../../ui/code-block';
import { AppLink, LinkButton } from '../../ui/link';
import { Section } from '../../ui/page';
import { Time } from '../../ui/time';
import { draftOf } from '../playground/draft';
import type { CallDetail } from './call-steps';

export type CallBodies = Answer<'/v1/invocations/{invocation_id}/bodies', 'get'>;
type Part = 'input' | 'output';

/** What the account keeps of a call; it is read again when the call is over, since the output is kept then. */
export function useBodies(invocationId: string, isOver: boolean): CallBodies | undefined {
  const query = get('/v1/invocations/{invocation_id}/bodies', { path: { invocation_id: invocationId } });
  const { data, refetch } = useQuery(query);
  const wasRunning = useRef(false);
  useEffect(() => {
    if (isOver && wasRunning.current) void refetch();
    wasRunning.current = !isOver;
  }, [isOver, refetch]);
  return data;
}

/** Starts another call of the agent, with the input of this one if it is kept. */
export function CallAgain({ agentId, bodies }: { agentId: string; bodies: CallBodies | undefined }) {
  const navigate = useNavigate();
  const input = bodies?.input?.value;
  const path = `/agents/${agentId}/try`;
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
export function Bodies({ call, bodies }: { call: CallDetail; bodies: CallBodies | undefined }) {
  const { invocation_id: id } = call;
  const input = bodies?.input?.value;
  const output = bodies?.output ? bodies.output.value : call.output;
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
        <OnePart part="input" value={input} bodies={bodies} />
        <OnePart part="output" value={output} bodies={bodies} note={noOutput(call)} />
        {bodies?.kept_until && (
          <Text fz="xs" c="dimmed" mt="sm">
            Kept until <Time at={bodies.kept_until} />, encrypted. Only you can read them.
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
  bodies: CallBodies | undefined;
  note?: string | undefined;
}

function OnePart({ part, value, bodies, note }: PartProps) {
  const { content_type: type, encoding } = bodies?.[part] ?? {};
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
          {note ?? <Missing isTooLarge={bodies?.too_large.includes(part) === true} />}
        </Text>
      ) : (
        <Json value={value} label={part} />
      )}
    </>
  );
}

function Missing({ isTooLarge }: { isTooLarge: boolean }) {
  if (isTooLarge) return <>It has more than 256 KiB, which is the most that is kept.</>;
  return (
    <>
      It is not stored. <AppLink to="/account">Your account</AppLink> can keep the inputs and outputs of your
      next calls.
    </>
  );
}
