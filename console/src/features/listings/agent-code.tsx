import { Stack, Text } from '@mantine/core';
import type { Answer } from '../../client/http';
import { CodeBlock } from '../../ui/code-block';
import { AppLink } from '../../ui/link';
import { Section } from '../../ui/page';
import { PageTabs } from '../../ui/page-tabs';
import { assistantsOf } from './assistants';
import { ceilingOf } from './price';
import { snippetsOf, type Snippet } from './snippets';

export type ListingDetail = Answer<'/v1/listings/{agent_id}', 'get'>;

/** The inputs that the listing shows: those of its examples and of its schema. */
export function examplesOf(listing: ListingDetail): Record<string, unknown>[] {
  const given = listing.examples.map((one) =>
    isObject(one) && 'input' in one && Object.keys(one).every((name) => name !== 'type') ? one['input'] : one,
  );
  return given.filter(isObject);
}

/** An input that the agent accepts, as far as the listing has one. */
export const exampleOf = (listing: ListingDetail): Record<string, unknown> => examplesOf(listing)[0] ?? {};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How to call the agent from a terminal, from programs and from assistants. */
export function AgentCode({ listing }: { listing: ListingDetail }) {
  const { agent_id: agentId, pricing } = listing;
  return (
    <Stack gap="lg">
      <Text fz="sm" c="dimmed">
        Create a key with the scope <code>agents:invoke</code> on the page{' '}
        <AppLink to="/keys">API keys</AppLink>, and put it into <code>MARKET_API_KEY</code>. A credit cap
        bounds what the key can spend.
      </Text>
      <Section title="From programs">
        <Snippets name="code" snippets={snippetsOf(agentId, exampleOf(listing))} />
      </Section>
      <Section title="From assistants" note="The agent is a tool of an MCP server.">
        <Snippets name="assistant" snippets={assistantsOf(agentId, ceilingOf(pricing))} />
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
