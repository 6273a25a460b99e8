/** What a campaign runs on: the market as processes, with a relay of ours between any two parts, and its users. */
import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Behaviour, Delivery } from '../agents/behaviours';
import { testCertificates } from '../agents/authority';
import { startAgent, type TestAgent } from '../agents/test-agent';
import { eventStream } from '../agents/behaviours';
import { CHAT_SCHEMAS } from '../calls/chat';
import { putSelfHosted, type SelfHosted } from '../calls/use';
import { addressIn, postCallback } from '../jobs/callbacks';
import { type LiveAgent, putLive, register, type TestUser } from '../market';
import {
  type ProcessStack,
  type ServiceProcess,
  startProcessStack,
  untilServing,
} from '../stack/process-stack';
import { realTime } from '../waits';
import { verify } from '../webhooks/webhooks';
import { request } from '../catalogue/publishing';
import { type FaultProxy, startFaultProxy } from './fault-proxy';

/** Must be in no log and in no history of Temporal. */
export const BODY_CANARY = 'campaigncanary4d81f6';
export const CREDITS = 20_000;
/** The lock of a transaction that dawdles in a settle, by which it is seen. */
export const SETTLING = { space: 8_809, key: 1 };
const BUYERS = 6;
const KEYS = `test:1=${Buffer.alloc(32, 7).toString('base64')},test:2=${Buffer.alloc(32, 9).toString('base64')}`;

export interface Process {
  name: string;
  service: ServiceProcess;
}

export interface Hook {
  secret: string;
  /** Event ids that were taken, by the call that they are about. */
  taken: Map<string, Set<string>>;
  wrong: unknown[];
  /** Deliveries that the receiver is about to answer. */
  open: number;
}

export interface Ground {
  stack: ProcessStack;
  processes: Process[];
  proxies: FaultProxy[];
  buyers: TestUser[];
  developer: TestUser;
  hook: Hook;
  agents: {
    /** Never called twice for one call. */
    once: LiveAgent;
    /** Declared idempotent. */
    repeatable: LiveAgent;
    chat: LiveAgent;
    jobs: LiveAgent;
    used: SelfHosted;
  };
  recorder: TestAgent;
  /** Environment of commands of an operator. */
  commands: Record<string, string>;
  apis(): Process[];
  stop(): Promise<void>;
}

/** How the agents answer: by what the input says, after a while, so that there is something to interrupt. */
function answerOf(ground: () => Ground | undefined, delivery: Delivery): Behaviour {
  const { body, path } = delivery;
  if (path.startsWith('/chat')) return eventStream(['some ', 'words ', 'of an ', 'answer'], 60);
  if (path.startsWith('/jobs')) {
    const ms = 400 + (body.length % 7) * 100;
    void realTime(ms, 'the agent works').then(() => callBack(ground(), delivery));
    return { kind: 'answer', status: 202, output: {} };
  }
  const text = body.toString();
  if (text.includes('broken')) return { kind: 'status', status: 500 };
  if (text.includes('dies')) return { kind: 'dies_mid_answer' };
  return { kind: 'slow', ms: 20 + (text.length % 9) * 40 };
}

/** Calls back until the market has taken it, as agents should. */
async function callBack(ground: Ground | undefined, delivery: Delivery): Promise<void> {
  for (let attempt = 0; ground && attempt < 60; attempt += 1) {
    const [api] = ground.apis().slice(attempt % 2);
    const reply = await postCallback(
      addressIn(delivery, api?.service ?? { url: '' }),
      ground.agents.jobs.signingSecret,
      { type: 'answer', output: { text: 'called back' } },
      `msg_${delivery.invocationId}`,
    ).catch(() => undefined);
    if (reply && reply.status < 500) return;
    await realTime(1_000, 'the agent tries again after a while');
  }
}

export async function startGround(): Promise<Ground> {
  const own: { ground?: Ground } = {};
  const recorder = await startAgent({
    host: '127.77.0.21',
    behaviour: (delivery) => answerOf(() => own.ground, delivery),
  });
  const stack = await startProcessStack({ maxConnections: 200 });
  const part = (name: string, port: number) => startFaultProxy(name, { host: '127.0.0.1', port });
  const postgresPort = Number(new URL(stack.environment()['DATABASE_URL'] ?? '').port);
  const temporalPort = Number(stack.environment()['TEMPORAL_ADDRESS']?.split(':')[1]);
  const proxies = await Promise.all([
    part('api–postgres', postgresPort),
    part('worker–postgres', postgresPort),
    part('api–temporal', temporalPort),
    part('worker–temporal', temporalPort),
    startFaultProxy('market–agent', recorder, '127.77.0.22'),
  ]);
  const [apiPostgres, workerPostgres, apiTemporal, workerTemporal, toAgent] = proxies;
  const through = (postgres: FaultProxy, temporal: FaultProxy) => ({
    DATABASE_URL: (stack.environment()['DATABASE_URL'] ?? '').replace(
      `:${postgresPort}/`,
      `:${postgres.port}/`,
    ),
    TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
    MASTER_KEYS: KEYS,
    RATE_LIMIT_PER_ACCOUNT: '1000000',
    RATE_LIMIT_INVOCATIONS: '1000000',
    RATE_LIMIT_PER_ADDRESS: '1000000',
    WEBHOOK_RETRY_PAUSES_MS: Array.from({ length: 30 }, () => '1500').join(','),
  });
  const add = async (kind: 'api' | 'worker', name: string): Promise<Process> => {
    const env = kind === 'api' ? through(apiPostgres, apiTemporal) : through(workerPostgres, workerTemporal);
    return { name, service: await stack.addProcess(kind, { env }) };
  };
  const processes = await Promise.all([
    add('api', 'api 1'),
    add('api', 'api 2'),
    add('worker', 'worker 1'),
    add('worker', 'worker 2'),
  ]);
  await Promise.all(processes.slice(0, 2).map(({ service }) => untilServing(service)));
  const market = {
    url: processes[0]?.service.url ?? '',
    owner: stack.owner,
    container: stack.container as never,
  };
  const developer = await register(market, 'developer');
  const buyers: TestUser[] = [];
  for (let n = 0; n < BUYERS; n += 1) buyers.push(await register(market, 'buyer', CREDITS));
  const put = (path: string, options: object) =>
    putLive(market, developer.userId, `https://${toAgent.host}:${toAgent.port}${path}`, {
      timeoutMs: 6_000,
      ...options,
    });
  const { hook, server } = await startHook();
  const url = `https://127.77.0.23:${(server.address() as AddressInfo).port}/hook`;
  const types = ['invocation.succeeded', 'invocation.failed'];
  const made = await request<{ secret: string }>(market, buyers[0]!, 'POST', '/v1/webhooks', { url, types });
  hook.secret = made.body.secret;
  await dawdleInSettles(stack);
  own.ground = {
    stack,
    processes,
    proxies,
    buyers,
    developer,
    hook,
    recorder,
    agents: {
      once: await put('/once', { credits: 7 }),
      repeatable: await put('/repeatable', { credits: 11, idempotent: true }),
      chat: await put('/chat', { credits: 5, ...CHAT_SCHEMAS }),
      jobs: await put('/jobs', { credits: 13, outputSchema: null, jobs: { max_seconds: 600 } }),
      used: await putSelfHosted(market, developer, `https://${toAgent.host}:${toAgent.port}/used`, {
        credits: 3,
      }),
    },
    commands: { ...stack.environment(), MASTER_KEYS: KEYS },
    apis: () => processes.slice(0, 2),
    async stop() {
      await stack.stop();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await recorder.stop();
      server.closeAllConnections();
      server.close();
    },
  };
  return own.ground;
}

/** A receiver that takes a while, so that a kill can meet it. */
async function startHook(): Promise<{ hook: Hook; server: Server }> {
  const hook: Hook = { secret: '', taken: new Map(), wrong: [], open: 0 };
  const { leaf } = await testCertificates();
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      hook.open += 1;
      void realTime(300, 'the receiver takes a while').then(() => {
        hook.open -= 1;
        take(
          hook,
          String(incoming.headers['webhook-id']),
          Buffer.concat(chunks).toString(),
          incoming.headers,
        );
        response.writeHead(204).end();
      });
    });
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.77.0.23');
  await once(server, 'listening');
  return { hook, server };
}

function take(hook: Hook, id: string, text: string, headers: object): void {
  try {
    const { data } = verify(hook.secret, { text, headers: headers as never });
    const about = String(data['invocation_id']);
    hook.taken.set(about, (hook.taken.get(about) ?? new Set()).add(id));
  } catch (error) {
    hook.wrong.push(error);
  }
}

/** Some captures take a while inside their transaction, so that a kill meets them there. */
async function dawdleInSettles({ owner }: ProcessStack): Promise<void> {
  await owner.query(`
    CREATE FUNCTION campaign_dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF random() < 0.3 THEN
        PERFORM pg_advisory_xact_lock_shared(${SETTLING.space}, ${SETTLING.key});
        PERFORM pg_sleep(0.25);
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER campaign_dawdle AFTER UPDATE ON holds FOR EACH ROW WHEN (NEW.state = 'captured')
      EXECUTE FUNCTION campaign_dawdle()`);
}
