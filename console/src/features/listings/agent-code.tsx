import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Answer } from '../../client/http';
import { sessionQuery } from '../../client/session';
import { CodeBlock } from '../../ui/code-block';
import { AppLink } from '../../ui/link';
import { Section } from '../../ui/page';
import { PageTabs } from '../../ui/page-tabs';
import { assistantsOf } from './assistants';
import { exampleOf, messagesOf } from './examples';
import { ceilingOf } from './price';
import { OwnKey, type ChosenKey } from './own-key';
import { snippetsOf, type Snippet } from './snippets';

export type ListingDetail = Answer<'/v1/listings/{agent_id}', 'get'>;

/** How to call the agent from a terminal, from programs and from assistants. */
export function AgentCode({ listing }: { listing: ListingDetail }) {
  const { agent_id: agentId, pricing } = listing;
  const input = exampleOf(listing);
  const ceiling = ceilingOf(pricing);
  const messages = listing.capabilities.streaming ? messagesOf(input) : undefined;
  const [key, setKey] = useState<ChosenKey>();
  const call = { agentId, input, ceiling, messages, origin: location.origin, key };
  const isAccount = Boolean(useQuery(sessionQuery).data);
  return (
    <Stack gap="lg">
      {isAccount ? (
        <OwnKey chosen={key} onChoose={setKey} />
      ) : (
        <Text fz="sm" c="dimmed">
          <AppLink to="/login" search={{ next: `/agents/${agentId}?tab=code` }}>
            Log in
          </AppLink>{' '}
          to see the code with a key of your own. It reads <code>MARKET_API_KEY</code> until then. The code
          bounds what one call may cost.
        </Text>
      )}
      <Section title="From programs">
        <Snippets name="code" snippets={snippetsOf(call)} />
      </Section>
      <Section title="From assistants" note="The agent is a tool of an MCP server.">
        <Snippets name="assistant" snippets={assistantsOf(call)} />
      </Section>
    </Stack>
  );
}

function Snippets({ name, snippets }: { name: string; snippets: readonly Snippet[] }) {
  return (
    <PageTabs
      name={name}
      tabs={snippets.map(({ value, label, text, note }) => ({
        value,
        label,
        content: (
          <>
            <CodeBlock text={text} label={`${label} code`} />
            {note !== undefined && (
              <Text fz="sm" c="dimmed" mt="xs">
                {note}
              </Text>
            )}
          </>
        ),
      }))}
    />
  );
}
