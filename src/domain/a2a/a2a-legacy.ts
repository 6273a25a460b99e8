/**
 * Cards and tasks as JSON of A2A 0.3: the card, and push notifications to clients of that version. What such a client
 * asks for over JSON-RPC is translated by the protocol library, which layers below the API do not have.
 */
import { LEGACY_VERSION } from './a2a-card';
import type { TaskState } from './a2a-task';
import { type Json, statusUpdateJson, taskJson, type TaskView } from './a2a-wire';

interface CardParts {
  supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string }[];
  securitySchemes: Record<string, Json>;
  securityRequirements: { schemes: Record<string, { list: string[] }> }[];
}

/**
 * The card of 1.0 with the members that clients of 0.3 read, for a client that does not say which version it speaks. No
 * member means another thing in the other version. The schemes of authentication have the members of both.
 */
export function cardOfBothVersions(card: Json): Json {
  const { supportedInterfaces, securitySchemes, securityRequirements } = card as unknown as CardParts;
  const legacy = supportedInterfaces.find(({ protocolVersion }) => protocolVersion === LEGACY_VERSION);
  const schemes = Object.entries(securitySchemes).map(([name, scheme]) => [
    name,
    { ...legacyScheme(scheme), ...scheme },
  ]);
  return {
    ...card,
    protocolVersion: `${LEGACY_VERSION}.0`,
    url: legacy?.url,
    preferredTransport: legacy?.protocolBinding,
    securitySchemes: Object.fromEntries(schemes),
    security: securityRequirements.map((requirement) =>
      Object.fromEntries(Object.entries(requirement.schemes).map(([name, { list }]) => [name, list])),
    ),
  };
}

function legacyScheme({ apiKeySecurityScheme, oauth2SecurityScheme }: Json): Json {
  if (oauth2SecurityScheme) return { ...oauth2SecurityScheme, type: 'oauth2' };
  const { location, name } = apiKeySecurityScheme as { location: string; name: string };
  return { type: 'apiKey', in: location, name };
}

/** Renders a task of 0.3, with the status of one of its events. */
export function legacyTaskJson(view: TaskView, state: TaskState, at: Date): Json {
  const task = taskJson(view);
  const { statusUpdate } = statusUpdateJson(view, state, at) as { statusUpdate: { status: Json } };
  const { artifacts, history } = task as { artifacts?: Json[]; history?: Json[] };
  return {
    kind: 'task',
    id: task['id'],
    contextId: task['contextId'],
    status: legacyStatus(statusUpdate.status),
    ...(history && { history: history.map(legacyMessage) }),
    ...(artifacts && { artifacts: artifacts.map(withLegacyParts) }),
    metadata: task['metadata'],
  };
}

function legacyStatus({ state, message, ...rest }: Json): Json {
  const name = String(state).replace('TASK_STATE_', '').toLowerCase().replace('_', '-');
  return { ...rest, state: name, ...(message !== undefined && { message: legacyMessage(message as Json) }) };
}

function legacyMessage(message: Json): Json {
  const role = message['role'] === 'ROLE_USER' ? 'user' : 'agent';
  return { ...withLegacyParts(message), kind: 'message', role };
}

function withLegacyParts(value: Json): Json {
  return { ...value, parts: (value['parts'] as Json[]).map(legacyPart) };
}

/** A data part of 0.3 has an object. The libraries mark a part whose data is another value, and wrap the value. */
function legacyPart({ text, raw, url, data, mediaType, filename, metadata }: Json): Json {
  const more = metadata === undefined ? {} : { metadata };
  if (text !== undefined) return { kind: 'text', text, ...more };
  if (data !== undefined) {
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    if (isObject) return { kind: 'data', data, ...more };
    const marked = { ...(metadata as Json | undefined), data_part_compat: true };
    return { kind: 'data', data: { value: data }, metadata: marked };
  }
  const content = raw === undefined ? { uri: url } : { bytes: raw };
  const named = {
    ...(mediaType !== undefined && { mimeType: mediaType }),
    ...(filename !== undefined && { name: filename }),
  };
  return { kind: 'file', file: { ...content, ...named }, ...more };
}
