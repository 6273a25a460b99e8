/**
 * Reads the agent card of an A2A agent: when it is registered or changed, and when it is verified (ADR 0342). The card
 * is public, so no credential goes with the request.
 */
import { cardAddress, type CardFlaw, readAgentCard } from '../../../domain/catalogue/cards/agent-card';
import type { CardSignature, RegisteredCard } from '../../../domain/catalogue/cards/card-listing';
import { asRecord } from '../../../domain/json-value';
import type { Egress } from '../../../egress/agent-call';
import { collect } from '../../../egress/answer';
import { EgressError } from '../../../egress/egress-error';
import { canonicalJson, sha256Hex } from '../../../kit/json/canonical-json';
import { parsedUrl } from '../../../kit/parsed-url';
import { parseStrictJson } from '../../../kit/json/strict-json';
import { isCardSignedBy, signaturesOf } from './card-signature';

type CardRefusal =
  | CardFlaw
  | 'agent_card_unreachable'
  | 'agent_card_missing'
  | 'agent_card_too_large'
  | 'agent_card_signature';

export type CardReading = { ok: true; card: RegisteredCard } | { ok: false; code: CardRefusal; msg: string };

const MOST_CARD_BYTES = 262_144;
const MOST_CARD_VALUES = 20_000;
const DEADLINE_MS = 10_000;

export function createAgentCardReader({ egress }: { egress: Pick<Egress, 'open'> }) {
  /** The JSON at an address of the agent; undefined if its status is another one than 200. */
  async function jsonAt(url: string, deadlineMs: number, signal?: AbortSignal): Promise<unknown> {
    const stream = await egress.open({
      url,
      method: 'GET',
      headers: { accept: 'application/json', 'a2a-version': '1.0' },
      signal,
      deadlineMs,
      maxResponseBytes: MOST_CARD_BYTES,
      repeatable: true,
    });
    try {
      return stream.status === 200
        ? parseStrictJson(await collect(stream.body), MOST_CARD_VALUES).value
        : undefined;
    } finally {
      stream.close();
    }
  }

  /** `undefined`: a signature names a key of the card's own origin, and was not made with it. */
  async function signatureOf(
    card: Record<string, unknown>,
    address: string,
    deadlineMs: number,
  ): Promise<CardSignature | undefined> {
    const { signatures } = card;
    if (!Array.isArray(signatures) || signatures.length === 0) return 'unsigned';
    const { origin } = new URL(address);
    const own = signaturesOf(card).filter(({ jku }) => jku !== null && originOf(jku) === origin);
    if (own.length === 0) return 'unchecked';
    for (const signature of own) {
      const jwks = await jsonAt(String(signature.jku), deadlineMs).catch(() => undefined);
      const { keys } = asRecord(jwks);
      if (Array.isArray(keys) && isCardSignedBy(card, signature, keys)) return 'verified';
    }
    return undefined;
  }

  return {
    /** Reads and checks the card of the agent with this endpoint. Never throws for what the agent does. */
    async read(endpointUrl: string, signal?: AbortSignal): Promise<CardReading> {
      const address = cardAddress(endpointUrl);
      const deadlineMs = Date.now() + DEADLINE_MS;
      let value: unknown;
      try {
        value = await jsonAt(address, deadlineMs, signal);
      } catch (error) {
        return refusalFor(error);
      }
      if (value === undefined) return refused('agent_card_missing', 'has no agent card');
      const reading = readAgentCard(value, address);
      if (!reading.ok) return refused(reading.flaw, reading.msg);
      const whole = value as Record<string, unknown>;
      const signature = await signatureOf(whole, address, deadlineMs);
      if (!signature)
        return refused(
          'agent_card_signature',
          'has an agent card that is not signed by the key that it names',
        );
      const { signatures: _, ...content } = whole;
      const sha256 = sha256Hex(canonicalJson(content));
      return { ok: true, card: { ...reading.facts, sha256, signature } };
    },
  };
}

const refused = (code: CardRefusal, msg: string): CardReading => ({ ok: false, code, msg });

function refusalFor(error: unknown): CardReading {
  if (!(error instanceof EgressError))
    return refused('agent_card_invalid', 'has an agent card that is not strict JSON');
  if (error.kind === 'too_large')
    return refused('agent_card_too_large', `has an agent card above ${MOST_CARD_BYTES} bytes`);
  return refused('agent_card_unreachable', 'has an agent card that cannot be read: no valid response came');
}

const originOf = (url: string): string | undefined => parsedUrl(url)?.origin;

/** Whether a refusal may pass by itself. */
export const isOfTheMoment = (reading: CardReading): boolean =>
  !reading.ok && reading.code === 'agent_card_unreachable';
