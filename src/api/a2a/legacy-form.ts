/**
 * The requests of A2A 0.3 over JSON-RPC, as its specification defines them. The library translates a request to 1.0
 * without checking it, so a request that does not have its form is refused here, and the refusal names the member.
 */
import { type TObject, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { asRecord } from '../../domain/json-value';

const open = <T extends Parameters<typeof Type.Object>[0]>(members: T) =>
  Type.Object(members, { additionalProperties: true });
const maybe = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) => Type.Optional(schema);

const Text = Type.String();
const Texts = Type.Array(Text);
const Metadata = maybe(Type.Record(Text, Type.Unknown()));

const Part = Type.Union([
  open({ kind: Type.Literal('text'), text: Text, metadata: Metadata }),
  open({ kind: Type.Literal('data'), data: Type.Record(Text, Type.Unknown()), metadata: Metadata }),
  open({
    kind: Type.Literal('file'),
    file: Type.Union([open({ bytes: Text }), open({ uri: Text })]),
    metadata: Metadata,
  }),
]);

const PushConfig = open({
  url: Text,
  id: maybe(Text),
  token: maybe(Text),
  authentication: maybe(open({ schemes: Texts, credentials: maybe(Text) })),
});

const SendParams = open({
  message: open({
    messageId: Type.String({ minLength: 1 }),
    role: Type.Union([Type.Literal('user'), Type.Literal('agent')]),
    parts: Type.Array(Part),
    contextId: maybe(Text),
    taskId: maybe(Text),
    metadata: Metadata,
    extensions: maybe(Texts),
    referenceTaskIds: maybe(Texts),
  }),
  configuration: maybe(
    open({
      acceptedOutputModes: maybe(Texts),
      blocking: maybe(Type.Boolean()),
      historyLength: maybe(Type.Integer({ minimum: 0 })),
      pushNotificationConfig: maybe(PushConfig),
    }),
  ),
  metadata: Metadata,
});
const TaskParams = open({ id: Text, metadata: Metadata });

/** The parameters of each method of A2A 0.3. */
const PARAMS: Readonly<Record<string, TObject>> = {
  'message/send': SendParams,
  'message/stream': SendParams,
  'tasks/get': open({ id: Text, historyLength: maybe(Type.Integer({ minimum: 0 })) }),
  'tasks/cancel': TaskParams,
  'tasks/resubscribe': TaskParams,
  'tasks/pushNotificationConfig/set': open({ taskId: Text, pushNotificationConfig: PushConfig }),
  'tasks/pushNotificationConfig/get': open({ id: Text, pushNotificationConfigId: maybe(Text) }),
  'tasks/pushNotificationConfig/list': TaskParams,
  'tasks/pushNotificationConfig/delete': open({ id: Text, pushNotificationConfigId: Text }),
  'agent/getAuthenticatedExtendedCard': open({}),
};

/** The streaming methods of A2A 0.3. */
export const LEGACY_STREAMS: ReadonlySet<unknown> = new Set(['message/stream', 'tasks/resubscribe']);

/**
 * A request without the members that are null, which clients write for absent ones, and with parameters. Free content
 * (the data of a part, metadata) keeps its nulls.
 */
export function legacyRequest(body: Record<string, unknown>): Record<string, unknown> {
  return { ...body, params: withoutNulls(body['params'] ?? {}) };
}

const FREE: ReadonlySet<string> = new Set(['metadata', 'data']);

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, FREE.has(name) ? member : withoutNulls(member)]),
  );
}

/** What is wrong with the parameters of a request, in a sentence; undefined if nothing, or for an unknown method. */
export function legacyProblem({ method, params }: Record<string, unknown>): string | undefined {
  const schema = Object.hasOwn(PARAMS, String(method)) ? PARAMS[String(method)] : undefined;
  if (!schema || Value.Check(schema, params)) return undefined;
  const path = Value.Errors(schema, params).First()?.path ?? '';
  const place = path.slice(1).replaceAll('/', '.') || 'params';
  return `${place.slice(0, 200)} is missing or does not have the form that A2A 0.3 defines for ${String(method)}.`;
}

/** Whether A2A 0.3 has a method. */
export function isLegacyMethod(body: unknown): boolean {
  return Object.hasOwn(PARAMS, String(asRecord(body)['method']));
}
