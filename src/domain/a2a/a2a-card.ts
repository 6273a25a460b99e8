/**
 * Builds the A2A 1.0 agent card (`AgentCard`; contract, "MCP, A2A"): the public description of an agent that
 * clients read before they call it. Members that are empty, false or zero are left out, because ProtoJSON
 * omits them. The plain RFC 8785 form and the ProtoJSON form of the card are therefore the same bytes, and
 * one signature is valid for both.
 */
import { type TermsFacts, termsExtensionOf } from './a2a-terms';
import type { Json } from './a2a-wire';
import { X402_EXTENSION } from '../calls/payment-required';
import { MANDATE_TYPE } from '../mandates/mandate';
import { MANDATE_CONSTRAINTS } from '../mandates/mandate-limits';

export const A2A_VERSION = '1.0';
/** The earlier version that is served too, over JSON-RPC. A2A reads a request without a version as one of it. */
export const LEGACY_VERSION = '0.3';
/** Media type of JSON inputs and outputs. */
const JSON_MODE = 'application/json';
/** An agent without declared outputs may answer text or bytes of any media type. */
const ANY_MODE = '*/*';

/** The facts about an agent and its version that go into the card. */
export interface CardFacts {
  /** Public base URL of the marketplace, without a trailing slash. */
  origin: string;
  agentId: string;
  displayName: string;
  description: string;
  version: string;
  category: string;
  tags: readonly string[];
  developerName: string;
  homepage: string | null;
  /** The page about the agent. */
  documentationUrl: string;
  iconUrl: string | null;
  /** Inputs of the version's examples and of its input schema; empty when there are none. */
  inputExamples: readonly unknown[];
  /** The tools of an MCP server, one skill each; empty for other agents, or when they are not known. */
  tools: readonly SkillTool[];
  terms: TermsFacts;
  /** True when callers without an account may pay for its calls by x402. */
  takesPayments: boolean;
  /** True when plain text is accepted as input (see `textField`). */
  acceptsText: boolean;
  /** True when the agent takes files, which is an A2A agent itself. */
  acceptsFiles: boolean;
  /** True when the agent may answer other media types than JSON. */
  answersAnyType: boolean;
}

/** A tool of an MCP server as it was listed: untrusted. */
export interface SkillTool {
  name: string;
  title: string;
  description: string;
  /** Arguments of an example; undefined if the tool has none. */
  example: unknown;
}

/** The base URL of the agent's A2A endpoints. */
export function a2aBase(origin: string, agentId: string): string {
  return `${origin}/v1/a2a/${agentId}`;
}

/** URI of the A2A extension that carries a spend mandate. */
export function mandateExtension(origin: string): string {
  return `${origin}/ext/spend-mandate/v1`;
}

/** The A2A interfaces of every agent. The wire's version check compares requests with the same list. */
export function interfacesOf(origin: string, agentId: string): Json[] {
  const base = a2aBase(origin, agentId);
  return [
    { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION },
    { url: base, protocolBinding: 'HTTP+JSON', protocolVersion: A2A_VERSION },
    { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: LEGACY_VERSION },
  ];
}

/** Returns the unsigned agent card. */
export function agentCard(facts: CardFacts): Json {
  const { origin, agentId, displayName, description } = facts;
  const { acceptsText, acceptsFiles } = facts;
  const inputModes = [JSON_MODE, ...(acceptsText ? ['text/plain'] : []), ...(acceptsFiles ? [ANY_MODE] : [])];
  return {
    name: displayName,
    description: description === '' ? displayName : description,
    version: facts.version,
    supportedInterfaces: interfacesOf(origin, agentId),
    provider: { organization: facts.developerName, url: facts.homepage ?? origin },
    documentationUrl: facts.documentationUrl,
    ...(facts.iconUrl && { iconUrl: facts.iconUrl }),
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extensions: [
        mandateExtensionOf(origin),
        termsExtensionOf(origin, agentId, facts.terms),
        ...(facts.takesPayments ? [x402Extension()] : []),
      ],
    },
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
      session: { apiKeySecurityScheme: { location: 'cookie', name: 'market_session' } },
      oauth: oauthScheme(origin, agentId, { authorizationCode: personsFlow(origin) }),
      oauthProgram: oauthScheme(origin, agentId, { clientCredentials: programsFlow(origin) }),
    },
    securityRequirements: [
      { schemes: { apiKey: { list: ['agents:invoke'] } } },
      { schemes: { session: { list: ['agents:invoke'] } } },
      { schemes: { oauth: { list: ['agents:invoke'] } } },
      { schemes: { oauthProgram: { list: ['agents:invoke'] } } },
    ],
    defaultInputModes: inputModes,
    defaultOutputModes: facts.answersAnyType ? [JSON_MODE, ANY_MODE] : [JSON_MODE],
    skills: skillsOf(facts),
  };
}

/** One skill for each tool of an MCP server, whose examples name the tool; one for any other agent. */
function skillsOf(facts: CardFacts): Json[] {
  const { displayName, description, category } = facts;
  const own = facts.tags.filter((tag) => tag !== '');
  const tags = own.length > 0 ? own : [category];
  if (facts.tools.length > 0)
    return facts.tools.map(({ name, title, description: text, example }) => ({
      id: name,
      name: title,
      description: text,
      tags,
      ...(example !== undefined && { examples: [JSON.stringify({ tool: name, arguments: example })] }),
    }));
  const examples = facts.inputExamples.slice(0, 3).map((example) => JSON.stringify(example));
  return [
    {
      id: 'invoke',
      name: displayName,
      description: description === '' ? displayName : description,
      tags,
      ...(examples.length > 0 && { examples }),
    },
  ];
}

const OAUTH_SCOPES = { 'agents:invoke': 'Call agents, and pay for the calls' };

/** A scheme of OAuth has one flow in A2A 1.0, so each flow has a scheme of its own. */
function oauthScheme(origin: string, agentId: string, flows: Json): Json {
  return {
    oauth2SecurityScheme: {
      description: `An access token for the resource ${a2aBase(origin, agentId)}, or for the whole market, ${origin}/mcp.`,
      flows,
      oauth2MetadataUrl: `${origin}/.well-known/oauth-authorization-server`,
    },
  };
}

/** A person consents in a browser. */
const personsFlow = (origin: string): Json => ({
  authorizationUrl: `${origin}/oauth/authorize`,
  tokenUrl: `${origin}/oauth/token`,
  refreshUrl: `${origin}/oauth/token`,
  scopes: OAUTH_SCOPES,
  pkceRequired: true,
});

/** A program has an id and a secret (ADR 0336). */
const programsFlow = (origin: string): Json => ({ tokenUrl: `${origin}/oauth/token`, scopes: OAUTH_SCOPES });

function mandateExtensionOf(origin: string): Json {
  return {
    uri: mandateExtension(origin),
    description:
      "Pays from another account's wallet, within the limits of a spend mandate that the account has signed.",
    params: {
      jwks_url_template: `${origin}/v1/mandate-keys/{iss}/jwks.json`,
      mandate_type: MANDATE_TYPE,
      constraints: [...MANDATE_CONSTRAINTS],
    },
  };
}

function x402Extension(): Json {
  return {
    uri: X402_EXTENSION,
    description:
      'Without an account, a call is paid by x402 version 2, in the metadata of messages over JSON-RPC.',
  };
}

/**
 * Names the input field that plain text fills: the only required field of the schema when it is a string, or
 * `text` when the agent declares no input schema. Returns undefined when plain text cannot form a valid
 * input.
 */
export function textField(inputSchema: unknown): string | undefined {
  if (inputSchema === null || inputSchema === undefined) return 'text';
  const {
    anyOf,
    required = requiredFirst(anyOf),
    properties,
  } = inputSchema as {
    anyOf?: unknown;
    required?: unknown;
    properties?: Record<string, { type?: unknown } | undefined>;
  };
  if (!Array.isArray(required) || required.length !== 1) return undefined;
  const [field] = required as unknown[];
  if (typeof field !== 'string' || !properties || !Object.hasOwn(properties, field)) return undefined;
  return properties[field]?.type === 'string' ? field : undefined;
}

/** An agent that takes one of several fields takes text in the first of them. */
const requiredFirst = (anyOf: unknown): unknown =>
  Array.isArray(anyOf) ? (anyOf[0] as { required?: unknown } | undefined)?.required : undefined;
