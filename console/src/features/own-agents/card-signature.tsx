import { Text } from '@mantine/core';
import type { Answer } from '../../client/http';

type Registration = NonNullable<Answer<'/v1/developer/agents/{agent_id}', 'get'>['registration']>;

const WORDS = {
  valid: 'The agent card is signed by a key that its host publishes.',
  none: 'The agent card is not signed.',
  unknown_key:
    'The agent card is signed by a key that its host does not publish, so the signature was not checked.',
} as const;

/** What is known of the signature of the card of an A2A agent; nothing for other agents. */
export function CardSignature({ registration }: { registration: Registration | null }) {
  const state = registration?.card_signature;
  return state && <Text c="dimmed">{WORDS[state]}</Text>;
}
