/**
 * The signed statement by which a paying address acts on its credits: the extension `sign-in-with-x` of x402, a
 * CAIP-122 message in the form of EIP-4361. It names this marketplace, one path, an end and a nonce that is used once.
 */
import { isRecord } from '../json-value';

export interface SignInPlace {
  /** Host and port of the marketplace, and the path that is called. */
  domain: string;
  uri: string;
  /** CAIP-2 id of the chain. */
  network: string;
}

/** A statement whose fields fit. Its signature is not verified yet. */
export interface SignIn {
  address: string;
  /** The text that was signed. */
  message: string;
  signature: string;
  nonce: string;
  expiresAt: Date;
}

/** A statement ends so long after it was made, at most. */
const MOST_MS = 10 * 60_000;
/** Clocks of payers may be ahead by so much. */
const CLOCK_MS = 60_000;

const LINE = /^[\x20-\x7e]{1,300}$/;
const FORMS: Readonly<Record<string, RegExp>> = {
  domain: LINE,
  address: /^0x[0-9a-fA-F]{40}$/,
  uri: LINE,
  version: /^1$/,
  chainId: /^eip155:[0-9]{1,20}$/,
  nonce: /^[A-Za-z0-9]{8,64}$/,
  issuedAt: LINE,
  expirationTime: LINE,
  signature: /^0x(?:[0-9a-fA-F]{2}){1,2048}$/,
};
const OPTIONAL = ['statement', 'notBefore', 'requestId'] as const;

/** Reads a statement for a place. Returns a sentence about the first field that does not fit. */
export function readSignIn(value: unknown, place: SignInPlace, nowMs: number): SignIn | string {
  if (!isRecord(value)) return 'it is no JSON object';
  const fields: Record<string, string> = {};
  for (const [name, form] of Object.entries(FORMS)) {
    const field = value[name];
    if (typeof field !== 'string' || !form.test(field)) return `${name} is missing or not of its form`;
    fields[name] = field;
  }
  for (const name of OPTIONAL) {
    const field = value[name];
    if (field === undefined) continue;
    if (typeof field !== 'string' || !LINE.test(field)) return `${name} is not of its form`;
    fields[name] = field;
  }
  const resources = value['resources'] ?? [];
  if (!isLines(resources)) return 'resources is not of its form';
  const problem = problemOf(fields, place, nowMs);
  if (problem !== undefined) return problem;
  return {
    address: fields['address'] ?? '',
    message: messageOf(fields, resources),
    signature: fields['signature'] ?? '',
    nonce: fields['nonce'] ?? '',
    expiresAt: new Date(fields['expirationTime'] ?? ''),
  };
}

function isLines(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= 10 &&
    value.every((one) => typeof one === 'string' && LINE.test(one))
  );
}

type Fields = Readonly<Record<string, string>>;

function problemOf(fields: Fields, { domain, uri, network }: SignInPlace, nowMs: number): string | undefined {
  const issued = Date.parse(fields['issuedAt'] ?? '');
  const expires = Date.parse(fields['expirationTime'] ?? '');
  const begins = Date.parse(fields['notBefore'] ?? '');
  if (fields['domain'] !== domain) return `domain must be ${domain}`;
  if (fields['uri'] !== uri) return `uri must be ${uri}`;
  if (fields['chainId'] !== network) return `chainId must be ${network}`;
  if (!(issued <= nowMs + CLOCK_MS)) return 'issuedAt must be a time that is not in the future';
  if (!(expires > nowMs)) return 'expirationTime has passed';
  if (expires > issued + MOST_MS) return 'expirationTime must be at most 10 minutes after issuedAt';
  if (begins > nowMs + CLOCK_MS) return 'notBefore is in the future';
  return undefined;
}

/** The text of EIP-4361. */
function messageOf(fields: Fields, resources: readonly string[]): string {
  const line = (label: string, name: string) =>
    fields[name] === undefined ? [] : [`${label}: ${fields[name]}`];
  const statement = fields['statement'] === undefined ? '' : `${fields['statement']}\n`;
  return [
    `${fields['domain']} wants you to sign in with your Ethereum account:`,
    fields['address'],
    '',
    statement,
    ...line('URI', 'uri'),
    ...line('Version', 'version'),
    `Chain ID: ${fields['chainId']?.split(':')[1] ?? ''}`,
    ...line('Nonce', 'nonce'),
    ...line('Issued At', 'issuedAt'),
    ...line('Expiration Time', 'expirationTime'),
    ...line('Not Before', 'notBefore'),
    ...line('Request ID', 'requestId'),
    ...(resources.length > 0 ? ['Resources:', ...resources.map((one) => `- ${one}`)] : []),
  ].join('\n');
}
