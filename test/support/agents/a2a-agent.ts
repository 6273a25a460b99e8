/** An A2A agent of a developer: a server of the official SDK over HTTPS, in 1.0 and 0.3, by JSON-RPC and HTTP+JSON. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  AgentCard,
  Artifact as ArtifactCodec,
  type Message,
  Message as MessageCodec,
  Task as TaskCodec,
  TaskState,
} from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultExecutionEventBusManager,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { createLegacyAwarePushNotificationSender } from '@a2a-js/sdk/compat/v0_3/server';
import express, { type Request, type Response } from 'express';
import { registration } from '../catalogue/registrations';
import { testCertificates } from './authority';

export type Speaks = { binding: 'JSONRPC' | 'HTTP+JSON'; version: '1.0' | '0.3' };

/** All that is spoken over HTTP. */
export const WIRES: Speaks[] = [
  { binding: 'JSONRPC', version: '1.0' },
  { binding: 'JSONRPC', version: '0.3' },
  { binding: 'HTTP+JSON', version: '1.0' },
  { binding: 'HTTP+JSON', version: '0.3' },
];

/** The body of a registration by a card, at 10 credits. */
export const registrationOfCard = (url: string, changes: Record<string, unknown> = {}) =>
  registration(url, {
    access_config: { endpoint_url: url, protocol: 'a2a', price_per_call_units: 1_000 },
    ...changes,
  });

/** What the agent does with a message, by the text of it. */
export interface Turn {
  text: string;
  message: Message;
  /** True for a further message about its task. */
  isFollowUp: boolean;
  /** Ends the call with a message. */
  say(...parts: object[]): void;
  /** Begins the task, or goes on with it, and sets its state. */
  state(state: TaskState, said?: string): void;
  artifact(parts: object[], options?: { append?: boolean; id?: string }): void;
  done(): void;
}

export interface A2aAgent {
  /** What `endpoint_url` of a registration is. */
  url: string;
  /** Requests with a body, and the card, oldest first. */
  requests: { path: string; headers: Request['headers']; body: unknown }[];
  canceled: string[];
  /** What the next messages do. */
  act: (turn: Turn) => void | Promise<void>;
  /** Changes the JSON of the card; the change may be a promise. */
  card: (change: (card: Record<string, unknown>) => unknown) => void;
  /** Serves a document at a path, such as its keys or a file. */
  serve: (path: string, answer: (req: Request, res: Response) => unknown) => void;
  stop(): Promise<void>;
}

/** `pushTo`: the card declares push notifications, and they go to this API, whatever the host of their address is. */
export async function startA2aAgent(
  speaks: Speaks = { binding: 'JSONRPC', version: '1.0' },
  { pushTo }: { pushTo?: string } = {},
): Promise<A2aAgent> {
  const app = express();
  const { certPem, keyPem } = (await testCertificates()).leaf;
  const server = createServer({ cert: certPem, key: keyPem }, app).listen(0, '127.77.0.1');
  await once(server, 'listening');
  const url = `https://127.77.0.1:${(server.address() as AddressInfo).port}`;
  let change: ((card: Record<string, unknown>) => unknown) | undefined;
  const served = new Map<string, (req: Request, res: Response) => unknown>();
  const ownCard = () => cardOf(url, speaks, pushTo !== undefined);
  const agent: A2aAgent = {
    url,
    requests: [],
    canceled: [],
    act: ({ say, text }) => say({ text: `You said: ${text}` }),
    card: (next) => void (change = next),
    serve: (path, answer) => void served.set(path, answer),
    stop: async () => void (await stopServer(server)),
  };
  const pushes = pushTo === undefined ? undefined : pushesTo(pushTo);
  const handler = new DefaultRequestHandler(
    AgentCard.fromJSON(ownCard()),
    new InMemoryTaskStore(),
    executorOf(agent),
    new DefaultExecutionEventBusManager(),
    pushes?.store,
    pushes?.sender,
  );
  const shared = {
    requestHandler: handler,
    userBuilder: UserBuilder.noAuthentication,
    legacyCompat: { enabled: true },
  };
  app.use(express.json({ limit: '12mb', type: () => true }));
  app.use((req, _res, next) => {
    agent.requests.push({ path: req.path, headers: req.headers, body: req.body as unknown });
    next();
  });
  app.use((req, res, next) => {
    const answer = served.get(req.path);
    if (answer) answer(req, res);
    else next();
  });
  app.use('/.well-known/agent-card.json', (req, res, next) => {
    if (change) return void Promise.resolve(change(ownCard())).then((card) => res.json(card), next);
    if (speaks.version === '0.3') delete req.headers['a2a-version'];
    next();
  });
  app.use(
    '/.well-known/agent-card.json',
    agentCardHandler({ agentCardProvider: handler, legacyCompat: { enabled: true } }),
  );
  app.use('/rpc', jsonRpcHandler(shared));
  app.use('/rest', restHandler(shared));
  return agent;
}

/** The SDK's own store and sender. The tests' API is not at the host of its public addresses. */
function pushesTo(api: string) {
  const store = new InMemoryPushNotificationStore();
  const save = store.save.bind(store);
  store.save = (taskId, context, config) => {
    config.url = api + new URL(config.url).pathname;
    return save(taskId, context, config);
  };
  return { store, sender: createLegacyAwarePushNotificationSender(store) };
}

function cardOf(url: string, { binding, version }: Speaks, pushes: boolean): Record<string, unknown> {
  const path = binding === 'JSONRPC' ? '/rpc' : '/rest';
  return {
    name: 'Translator',
    description: 'Translates texts, and says what it was told.',
    version: '3.2.1',
    supportedInterfaces: [{ url: `${url}${path}`, protocolBinding: binding, protocolVersion: version }],
    capabilities: { streaming: true, pushNotifications: pushes },
    defaultInputModes: ['text/plain', 'application/json', 'image/png'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'translate',
        name: 'Translate',
        description: 'Translates a text into another language',
        tags: ['text'],
        examples: ['Translate "good morning" into German'],
      },
    ],
  };
}

function executorOf(agent: A2aAgent): AgentExecutor {
  const running = new Map<string, () => void>();
  return {
    async execute(context, bus) {
      const finished = new Promise<void>((resolve) => running.set(context.taskId, resolve));
      await agent.act(turnOf(context, bus, () => running.get(context.taskId)?.()));
      await finished;
    },
    cancelTask: (taskId, bus) => {
      agent.canceled.push(taskId);
      bus.publish(
        AgentEvent.statusUpdate({
          taskId,
          contextId: '',
          status: { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: undefined },
          metadata: undefined,
        }),
      );
      bus.finished();
      running.get(taskId)?.();
      return Promise.resolve();
    },
  };
}

function turnOf(
  { userMessage, taskId, contextId, task }: RequestContext,
  bus: ExecutionEventBus,
  end: () => void,
): Turn {
  const finish = () => {
    bus.finished();
    end();
  };
  let isBegun = false;
  const said = (parts: object[]): Message =>
    MessageCodec.fromJSON({ messageId: randomUUID(), role: 'ROLE_AGENT', contextId, parts });
  const begin = (state: TaskState, message?: Message) => {
    const status = { state, message, timestamp: new Date().toISOString() };
    if (isBegun) bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    else bus.publish(AgentEvent.task({ ...TaskCodec.fromJSON({ id: taskId, contextId }), ...task, status }));
    isBegun = true;
  };
  return {
    text: userMessage.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(''),
    message: userMessage,
    isFollowUp: task !== undefined,
    say(...parts) {
      bus.publish(AgentEvent.message(said(parts)));
      finish();
    },
    state: (state, text) => begin(state, text === undefined ? undefined : said([{ text }])),
    artifact(parts, { append = false, id = 'result' } = {}) {
      const artifact = ArtifactCodec.fromJSON({ artifactId: id, parts });
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact,
          append,
          lastChunk: false,
          metadata: undefined,
        }),
      );
    },
    done: finish,
  };
}

async function stopServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
