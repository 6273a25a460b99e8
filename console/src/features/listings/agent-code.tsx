import { Stack, Text } from '@mantine/core';
import type { Answer } from '../../client/http';
import { CodeBlock } from '../../ui/code-block';
import { AppLink } from '../../ui/link';
import { Section } from '../../ui/page';
import { PageTabs } from '../../ui/page-tabs';
import { assistantsOf } from './assistants';
import { exampleOf, messagesOf } from './examples';
import { ceilingOf } from './price';
import { snippetsOf, type Snippet } from './snippets';

export type ListingDetail = Answer<'/v1/listings/{agent_id}', 'get'>;

/** How to call the agent from a terminal, from programs and from assistants. */
export function AgentCode({ listing }: { listing: ListingDetail }) {
  const { agent_id: agentId, pricing } = listing;
  const input = exampleOf(listing);
  const ceiling = ceilingOf(pricing);
  const messages = listing.capabilities.streaming ? messagesOf(input) : undefined;
  const call = { agentId, input, ceiling, messages, origin: location.origin };
  return (
    <Stack gap="lg">
      <Text fz="sm" c="dimmed">
        Create a key with the scope <code>agents:invoke</code> on the page{' '}
        <AppLink to="/keys">API keys</AppLink>, and put it into <code>MARKET_API_KEY</code>. A credit cap
        bounds what the key can spend, and <code>max_cost_credits</code> what one call may cost.
      </Text>
      <Section title="From programs">
        <Snippets name="code" snippets={snippetsOf(call)} />
      </Section>
      <Section title="From assistants" note="The agent is a tool of an MCP server.">
        <Snippets name="assistant" snippets={assistantsOf(agentId, ceiling)} />
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
