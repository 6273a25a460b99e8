/** The agent card of a registration: read when it is made, and with each change of it (ADR 0342). */
import type { RegisteredCard } from '../../../domain/catalogue/cards/card-listing';
import type { FieldProblem } from '../../../domain/errors';
import type { Egress } from '../../../egress/agent-call';
import { createAgentCardReader, isOfTheMoment } from './agent-card-reader';

interface CardOf {
  card: RegisteredCard | undefined;
  problems: FieldProblem[];
}

/**
 * Reads the card of an A2A agent; undefined for other protocols, and for an address that was refused. A card that
 * cannot be read for the moment stays as it was, if the address does not change.
 */
export async function cardOf(
  egress: Pick<Egress, 'open'>,
  protocol: unknown,
  endpointUrl: string | undefined,
  before?: { endpoint: { url: string }; agent_card?: RegisteredCard },
): Promise<CardOf> {
  if (protocol !== 'a2a' || endpointUrl === undefined) return { card: undefined, problems: [] };
  const reading = await createAgentCardReader({ egress }).read(endpointUrl);
  if (reading.ok) return { card: reading.card, problems: [] };
  if (isOfTheMoment(reading) && before?.endpoint.url === endpointUrl && before.agent_card)
    return { card: before.agent_card, problems: [] };
  const loc = ['body', 'access_config', 'endpoint_url'];
  return { card: undefined, problems: [{ loc, msg: reading.msg, type: reading.code }] };
}
