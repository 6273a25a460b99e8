/**
 * The agent card (A2A 1.0, `AgentCard`; reference: contract, "MCP, A2A"): what anybody may know of an agent before
 * calling it. Members that would be empty, false or zero are left out, so that every canonical form of the card (plain
 * RFC 8785, and that of ProtoJSON, which leaves such members out) is the same text, and one signature fits all.
 */
import type { Json } from './a2a-wire';
import { MANDATE_TYPE } from '../mandates/mandate';
import { MANDATE_CONSTRAINTS } from '../mandates/mandate-limits';

export const A2A_VERSION = '1.0';
/** Media types of inputs and outputs. */
const JSON_MODE = 'application/json';

export interface CardFacts {
  /** Where clients reach the marketplace, without a slash at the end. */
  origin: string;
  agentId: string;
  displayName: string;
  description: string;
  version: string;
  category: string;
  tags: readonly string[];
  developerName: string;
  homepage: string | null;
  iconUrl: string | null;
  /** The agent's own schema has examples. */
  inputExamples: readonly unknown[];
  /** A plain text can be an input (see `textField`). */
  takesText: boolean;
}

export function a2aBase(origin: string, agentId: string): string {
  return `${origin}/v1/a2a/${agentId}`;
}

/** URI of the extension that carries a spend mandate (reference: mandates). */
export function mandateExtension(origin: string): string {
  return `${origin}/ext/spend-mandate/v1`;
}

/** The interfaces that every agent has; also what the wire's version check goes by. */
export function interfacesOf(origin: string, agentId: string): Json[] {
  const base = a2aBase(origin, agentId);
  return [
    { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION },
    { url: base, protocolBinding: 'HTTP+JSON', protocolVersion: A2A_VERSION },
  ];
}

export function agentCard(facts: CardFacts): Json {
  const { origin, agentId, displayName, description, category } = facts;
  const inputModes = facts.takesText ? [JSON_MODE, 'text/plain'] : [JSON_MODE];
  const tags = facts.tags.filter((tag) => tag !== '');
  const examples = facts.inputExamples.slice(0, 3).map((example) => JSON.stringify(example));
  return {
    name: displayName,
    description: description === '' ? displayName : description,
    version: facts.version,
    supportedInterfaces: interfacesOf(origin, agentId),
    provider: { organization: facts.developerName, url: facts.homepage ?? origin },
    documentationUrl: `${origin}/v1/listings/${agentId}`,
    ...(facts.iconUrl && { iconUrl: facts.iconUrl }),
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extensions: [mandateExtensionOf(origin)],
    },
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
      session: { apiKeySecurityScheme: { location: 'cookie', name: 'market_session' } },
    },
    securityRequirements: [
      { schemes: { apiKey: { list: ['agents:invoke'] } } },
      { schemes: { session: { list: ['agents:invoke'] } } },
    ],
    defaultInputModes: inputModes,
    defaultOutputModes: [JSON_MODE],
    skills: [
      {
        id: 'invoke',
        name: displayName,
        description: description === '' ? displayName : description,
        tags: tags.length > 0 ? tags : [category],
        ...(examples.length > 0 && { examples }),
      },
    ],
  };
}

function mandateExtensionOf(origin: string): Json {
  return {
    uri: mandateExtension(origin),
    description: "Pays from another account's wallet, within a spend mandate that it has signed.",
    params: {
      jwks_url: `${origin}/v1/mandate-keys`,
      mandate_type: MANDATE_TYPE,
      constraints: [...MANDATE_CONSTRAINTS],
    },
  };
}

/**
 * The field that a plain text fills: the only required one, when it is a string; `text` for an agent that declares no
 * input. Undefined for agents whose input a text cannot be.
 */
export function textField(inputSchema: unknown): string | undefined {
  if (inputSchema === null || inputSchema === undefined) return 'text';
  const { required, properties } = inputSchema as {
    required?: unknown;
    properties?: Record<string, { type?: unknown } | undefined>;
  };
  if (!Array.isArray(required) || required.length !== 1) return undefined;
  const [field] = required as unknown[];
  if (typeof field !== 'string' || !properties || !Object.hasOwn(properties, field)) return undefined;
  return properties[field]?.type === 'string' ? field : undefined;
}
