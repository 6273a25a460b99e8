import { Card, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../../client/queries';
import { Section } from '../../ui/page';
import { FastForward } from './fast-forward';

/** The workflow of a thing, by the prefix of its id. */
const WORKFLOWS: Readonly<Record<string, string>> = {
  agt: 'verification',
  dsp: 'dispute',
  slh: 'slash',
  inv: 'invocation',
  bwd: 'bond-withdrawal',
};

function workflowOf(text: string): string | undefined {
  const id = text.trim();
  if (/^[a-z-]+\/.+/.test(id)) return id;
  const kind = WORKFLOWS[id.split('_', 1)[0] ?? ''];
  return kind && /^[a-z]{3}_\w+$/.test(id) ? `${kind}/${id}` : undefined;
}

/** Fast-forwards any workflow by its id, or by the id of what it is about. Shown outside production alone. */
export function TimeTravel() {
  const [text, setText] = useState('');
  const { data } = useQuery({ ...get('/v1/operator/platform'), staleTime: 300_000 });
  if (data?.time_travel !== true) return null;
  const workflowId = workflowOf(text);
  return (
    <Section
      title="Time travel"
      note="The clock of one workflow moves forward, and its timers fire. Installations in production do not have this."
    >
      <Card withBorder>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Workflow, or the id of an agent, dispute, slash, withdrawal or call"
            placeholder="dispute/dsp_… or agt_unit_converter_v1"
            className="grow"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {workflowId === undefined ? (
            <Text fz="sm" c="dimmed" py={8}>
              Enter an id.
            </Text>
          ) : (
            <FastForward workflowId={workflowId} />
          )}
        </Group>
      </Card>
    </Section>
  );
}
