import { Card, Group, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get, SELDOM } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { AccessLink } from './access-link';
import { Audience } from './audience';

type State = Answer<'/v1/developer/agents/{agent_id}/visibility', 'get'>;
type Kind = State['visibility'];

const KINDS: Readonly<Record<Kind, { label: string; description: string; question: string }>> = {
  public: {
    label: 'Public',
    description: 'In the search and in lists, for everybody',
    question: 'Everybody finds the agent from now on, if nothing else keeps it out of the search.',
  },
  unlisted: {
    label: 'Unlisted',
    description: 'In no list, for everybody who knows its id',
    question: 'The agent leaves the search and all lists now. Everybody who knows its id may still call it.',
  },
  private: {
    label: 'Private',
    description: 'For you and the accounts below; for all others it does not exist',
    question:
      'The agent leaves the search and all lists now. Buyers who are not in the list below can no longer see or call it. Calls that run go on.',
  },
};
const ORDER = ['public', 'unlisted', 'private'] as const;

/**
 * Whom an agent is shown to: its visibility, the accounts that see it while it is private, and the link for requests.
 */
export function WhoMaySee({ agentId }: { agentId: string }) {
  const query = useQuery({
    ...get('/v1/developer/agents/{agent_id}/visibility', { path: { agent_id: agentId } }),
    ...SELDOM,
  });
  return (
    <Section
      title="Who may see this agent"
      note="A change holds at once for all versions. Each agent is verified, whatever its visibility."
    >
      <QueryView query={query}>
        {(state) => (
          <Stack gap="sm">
            <Kinds key={state.visibility} agentId={agentId} present={state.visibility} />
            <Audience agentId={agentId} count={state.audience} />
            <AccessLink agentId={agentId} madeAt={state.access_link_made_at} />
          </Stack>
        )}
      </QueryView>
    </Section>
  );
}

function Kinds({ agentId, present }: { agentId: string; present: Kind }) {
  const [wanted, setWanted] = useState<Kind>(present);
  const { label, question } = KINDS[wanted];
  return (
    <Card withBorder>
      <Radio.Group
        label="Visibility"
        value={wanted}
        onChange={(value) => setWanted(ORDER.find((kind) => kind === value) ?? present)}
      >
        <Stack gap={6} mt={6}>
          {ORDER.map((kind) => (
            <Radio key={kind} value={kind} label={KINDS[kind].label} description={KINDS[kind].description} />
          ))}
        </Stack>
      </Radio.Group>
      {wanted !== present && (
        <Group mt="sm">
          <Ask
            action={`Make it ${label.toLowerCase()}`}
            question={question}
            done={`The agent is ${label.toLowerCase()}.`}
            run={() =>
              send('patch', '/v1/developer/agents/{agent_id}/visibility', {
                path: { agent_id: agentId },
                body: { visibility: wanted },
              })
            }
          />
        </Group>
      )}
    </Card>
  );
}
