/**
 * What a version of a registered A2A agent gets from its agent card (ADR 0342): its description, its schemas and its
 * examples. The input of every such agent is a message, and its output what the agent answered.
 */
import type { CardFacts } from './agent-card';

/** What a version keeps of the card that it was registered with. */
export interface RegisteredCard extends CardFacts {
  /** SHA-256 of the canonical JSON of the card without its signatures, in hex. */
  sha256: string;
  /** `unchecked`: no key of its signatures is published at its own origin. */
  signature: CardSignature;
}

export type CardSignature = 'verified' | 'unsigned' | 'unchecked';

/** What the owner of an agent reads of the signature of its card. A card whose signature is wrong is refused. */
export const SHOWN_SIGNATURES = {
  verified: 'valid',
  unsigned: 'none',
  unchecked: 'unknown_key',
} as const satisfies Record<CardSignature, string>;

const LONGEST_DESCRIPTION = 2_000;
const LONGEST_SKILL = 200;
const LONGEST_EXAMPLE = 2_000;
const MOST_EXAMPLES = 6;
/** Files of a message. */
const MOST_FILES = 16;

const FILE = {
  type: 'object',
  required: ['media_type', 'content_base64'],
  properties: {
    name: { type: 'string', maxLength: 255 },
    media_type: { type: 'string', minLength: 3, maxLength: 255 },
    content_base64: { type: 'string', contentEncoding: 'base64' },
  },
  additionalProperties: false,
} as const;

const FILES = { type: 'array', minItems: 1, maxItems: MOST_FILES, items: FILE } as const;

/** The turns of a conversation, as `/chat` sends them. */
const MESSAGES = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['role', 'content'],
    properties: { role: { type: 'string' }, content: { type: 'string', minLength: 1 } },
    additionalProperties: false,
  },
} as const;

/** A message is text, or the turns of a conversation. */
const TEXT = {
  text: { type: 'string', minLength: 1, description: 'The message to the agent' },
  messages: MESSAGES,
  session_id: { type: 'string', description: 'The conversation of the messages' },
} as const;

/** The output of every A2A agent. */
const MESSAGE_OUTPUT_SCHEMA = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', description: 'All text of the answer; empty if it has none' },
    data: { type: 'array', description: 'Each part of the answer that is data' },
    files: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          media_type: { type: 'string' },
          content_base64: { type: 'string' },
          url: { type: 'string' },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
} as const;

/** The description that a card gives, in text that buyers may read. */
export function descriptionIn({ description, skills, url }: CardFacts): string {
  const listed = skills.map(
    ({ name, description: what }) => `- ${line(name)}: ${shortened(line(what), LONGEST_SKILL)}`,
  );
  const text = `${clean(description)}\n\nSkills:\n${listed.join('\n')}`;
  return shortened(withoutHost(text, url), LONGEST_DESCRIPTION);
}

/** Schemas and examples by what the card says that the agent takes. */
export function messageForm({ takes, skills, url }: CardFacts): {
  input_schema: Record<string, unknown>;
  output_schema: Record<string, unknown>;
  examples: { input: Record<string, unknown> }[];
} {
  const examples = takes.text
    ? skills.flatMap(({ examples: given }) =>
        given.map((text) => ({ text: withoutHost(shortened(clean(text), LONGEST_EXAMPLE), url) })),
      )
    : [];
  const shown = examples.slice(0, MOST_EXAMPLES);
  return {
    input_schema: {
      type: 'object',
      ...(takes.text
        ? { anyOf: [{ required: ['text'] }, { required: ['messages'] }] }
        : { required: [takes.data ? 'data' : 'files'] }),
      properties: {
        ...(takes.text && TEXT),
        ...(takes.data && { data: { type: 'object', description: 'Structured data for the agent' } }),
        ...(takes.files && { files: FILES }),
      },
      additionalProperties: false,
      ...(shown.length > 0 && { examples: shown }),
    },
    output_schema: MESSAGE_OUTPUT_SCHEMA,
    examples: shown.map((input) => ({ input })),
  };
}

/** Buyers do not see where an agent runs. */
const withoutHost = (text: string, url: string) => text.replaceAll(new URL(url).host, '(address)');

const clean = (text: string) =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, (run) => (run.includes('\n') ? '\n' : ' ')).trim();
const line = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, ' ').trim();

function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text;
}
