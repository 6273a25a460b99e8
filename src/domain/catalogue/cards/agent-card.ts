/**
 * The agent cards of A2A agents that developers register (ADR 0342): revisions 1.0 and 0.3. A card is untrusted: what
 * is used of it is checked, and shortened.
 */
import { asRecord, isRecord, isStorableJson } from '../../json-value';

type CardBinding = 'JSONRPC' | 'HTTP+JSON';
type CardVersion = '1.0' | '0.3';

/** Where an A2A agent is called, and how. */
export interface CardInterface {
  url: string;
  binding: CardBinding;
  version: CardVersion;
  /** The tenant that each request names (1.0). */
  tenant?: string;
}

interface CardSkill {
  name: string;
  description: string;
  examples: string[];
}

/** What the marketplace uses of a card. */
export interface CardFacts extends CardInterface {
  streaming: boolean;
  /** It sends notifications about its tasks. */
  pushes: boolean;
  description: string;
  /** Whether it takes text, data (JSON), and files. */
  takes: { text: boolean; data: boolean; files: boolean };
  skills: CardSkill[];
}

export type CardFlaw = 'agent_card_invalid' | 'agent_card_other_host' | 'agent_card_unsupported';
type ReadCard = { ok: true; facts: CardFacts } | { ok: false; flaw: CardFlaw; msg: string };

const MOST_INTERFACES = 32;
const MOST_SKILLS = 32;
const MOST_EXAMPLES = 4;
const LONGEST_URL = 2_000;

/** The address of the card of an agent with this `endpoint_url`: itself, or the well-known one below it. */
export function cardAddress(endpointUrl: string): string {
  const url = new URL(endpointUrl);
  if (url.pathname.endsWith('.json')) return url.href;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/.well-known/agent-card.json`;
  return url.href;
}

/** Reads a card that came from `address`. All its interfaces that can be called must be of the same origin. */
export function readAgentCard(card: unknown, address: string): ReadCard {
  const missing = firstMissing(card);
  if (missing !== undefined) return flaw('agent_card_invalid', `has an agent card whose ${missing}`);
  const whole = card as Record<string, unknown>;
  const offered = interfacesOf(whole);
  const known = offered.flatMap(supported);
  if (known.length === 0)
    return flaw(
      'agent_card_unsupported',
      'has an agent card without an interface of JSONRPC or HTTP+JSON in A2A 1.0 or 0.3',
    );
  const { origin } = new URL(address);
  const [chosen] = known;
  if (!chosen || known.some(({ url }) => new URL(url).origin !== origin))
    return flaw('agent_card_other_host', 'has an agent card that points to another host, scheme or port');
  return { ok: true, facts: { ...chosen, ...describedBy(whole) } };
}

const flaw = (name: CardFlaw, msg: string): ReadCard => ({ ok: false, flaw: name, msg });

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isTexts = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isText);
const isSkill = (value: unknown) =>
  isRecord(value) && ['id', 'name', 'description'].every((name) => isText(value[name]));

/** The first required member that is missing or wrong, as the rest of a sentence. */
function firstMissing(card: unknown): string | undefined {
  if (!isRecord(card)) return 'content is no JSON object';
  for (const name of ['name', 'description', 'version']) if (!isText(card[name])) return `${name} is missing`;
  for (const name of ['defaultInputModes', 'defaultOutputModes'])
    if (!isTexts(card[name])) return `${name} is no list of media types`;
  if (!isRecord(card['capabilities'])) return 'capabilities are missing';
  const { skills } = card;
  if (!Array.isArray(skills) || skills.length === 0 || !skills.every(isSkill))
    return 'skills are missing, or have no id, name and description';
  const isListed = Array.isArray(card['supportedInterfaces']) && card['supportedInterfaces'].length > 0;
  if (!isListed && !isText(card['url'])) return 'supportedInterfaces (or url, in A2A 0.3) are missing';
  return isStorableJson(card) ? undefined : 'text has NUL characters or lone surrogates';
}

interface Offered {
  url: unknown;
  binding: unknown;
  version: unknown;
  tenant?: unknown;
}

/** The interfaces of a card of 1.0, in its order, or else those of a card of 0.3. */
function interfacesOf(card: Record<string, unknown>): Offered[] {
  const { supportedInterfaces: listed, additionalInterfaces: others } = card;
  if (Array.isArray(listed) && listed.length > 0)
    return listed.slice(0, MOST_INTERFACES).map((each) => {
      const { url, protocolBinding: binding, protocolVersion: version, tenant } = asRecord(each);
      return { url, binding, version, tenant };
    });
  const { url, preferredTransport: binding = 'JSONRPC', protocolVersion: version } = card;
  const more = Array.isArray(others) ? others.slice(0, MOST_INTERFACES).map(asRecord) : [];
  return [
    { url, binding, version },
    ...more.map((each) => ({ url: each['url'], binding: each['transport'], version })),
  ];
}

function supported({ url, binding, version, tenant }: Offered): CardInterface[] {
  if (!isText(url) || url.length > LONGEST_URL || !isAddress(url)) return [];
  if (binding !== 'JSONRPC' && binding !== 'HTTP+JSON') return [];
  const spoken = /^1\.\d/.test(String(version))
    ? '1.0'
    : /^0\.3(?:\.|$)/.test(String(version))
      ? '0.3'
      : undefined;
  return spoken ? [{ url, binding, version: spoken, ...(isText(tenant) && { tenant }) }] : [];
}

function isAddress(text: string): boolean {
  try {
    const { protocol, username, password, hash } = new URL(text);
    return protocol === 'https:' && `${username}${password}${hash}` === '';
  } catch {
    return false;
  }
}

function describedBy(card: Record<string, unknown>): Omit<CardFacts, keyof CardInterface> {
  const { capabilities, defaultInputModes: modes, skills, description } = card;
  const { streaming, pushNotifications: pushes } = asRecord(capabilities);
  return {
    streaming: streaming === true,
    pushes: pushes === true,
    description: String(description),
    takes: takenBy(modes as string[]),
    skills: (skills as unknown[]).slice(0, MOST_SKILLS).map(skillOf),
  };
}

function takenBy(modes: string[]): CardFacts['takes'] {
  const types = modes.map((mode) => mode.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  const isTextType = (type: string) =>
    type === 'text' || type === 'text/*' || type === 'text/plain' || type === '*/*';
  const isData = (type: string) => type === 'data' || type === 'application/json' || type === '*/*';
  const takes = {
    text: types.some(isTextType),
    data: types.some(isData),
    files: types.some((type) => type === '*/*' || (!isTextType(type) && !isData(type))),
  };
  return takes;
}

function skillOf(skill: unknown): CardSkill {
  const { name, description, examples } = asRecord(skill);
  const texts = Array.isArray(examples) ? examples.filter(isText) : [];
  return { name: String(name), description: String(description), examples: texts.slice(0, MOST_EXAMPLES) };
}
