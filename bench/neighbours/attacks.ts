/**
 * The attacks of docs/threats.md, "Availability: one tenant must not slow the others", as an attacker's process runs
 * them.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleOf } from '../../test/support/verification/bundles';
import { testManifest } from '../../test/support/agents/manifest';
import { dial, headOf, repeat, send, type Target } from './wire';

/** The accounts and agents of the attackers, made before the measurement. */
export interface Ground {
  target: Target;
  /** Cookies of buyers: the first has credits, the others have none. */
  rich: string;
  poor: readonly string[];
  /** Cookies of developers that may publish. */
  developers: readonly string[];
  /** API keys of the members of one organisation, which has credits. */
  members: readonly string[];
  agents: { echo: string; perToken: string; hanging: string; mirror: string; free: string };
  /** Webhooks of the first developer to a server that never answers. */
  hangingWebhooks: readonly string[];
}

export type Attack = (ground: Ground, signal: AbortSignal) => Promise<void>;

const MIB = 1024 * 1024;
const call = (agentId: string) => `/v1/agents/${agentId}/invoke`;
const until = (signal: AbortSignal) => (signal.aborted ? Promise.resolve() : once(signal, 'abort'));

/** Sockets that declare a large body and send one byte, and are opened again when they end. */
const declaredBodies: Attack = ({ target, rich, developers }, signal) =>
  repeat(60, signal, async (lane) => {
    const socket = dial(target, lane % 2 === 0 ? 1 : 2);
    const publish = { path: '/v1/developer/agents', cookie: developers[0] };
    const login = { path: '/v1/auth/login' };
    const invoke = { path: call('agt_none_v1'), cookie: rich };
    const request = [publish, login, invoke][lane % 3] ?? login;
    const bytes = request === login ? MIB : 12 * MIB;
    const headers = { 'content-type': 'application/json', 'content-length': String(bytes) };
    socket.write(headOf({ ...request, headers }) + '{');
    await Promise.race([once(socket, 'close'), once(socket, 'end'), until(signal)]);
    socket.destroy();
  });

/** 10 MB of empty lists, to an agent that does not exist, to one that does, and to publishing. */
const manyNodes: Attack = ({ target, rich, agents, developers }, signal) => {
  const body = Buffer.from(`{"input":{"text":[${'[],'.repeat(3_300_000)}0]}}`);
  const most = Buffer.from(`{"input":{"text":[${'[],'.repeat(490_000)}0]}}`);
  const requests = [
    { path: call('agt_none_v1'), cookie: rich, body },
    { path: call(agents.echo), cookie: rich, body },
    { path: call(agents.echo), cookie: rich, body: most },
    { path: '/v1/developer/agents', cookie: developers[0], body: most },
  ];
  return repeat(4, signal, (lane) => send(target, 3, requests[lane] ?? { path: '/' }));
};

/** Calls of an agent whose answer repeats parts of its credential, 10 MB long. */
const maskedAnswers: Attack = ({ target, rich, agents }, signal) =>
  repeat(2, signal, () =>
    send(target, 4, { path: call(agents.mirror), cookie: rich, body: '{"input":{"text":"x"}}' }),
  );

/** 1 MB of slashes to an agent priced by tokens: from accounts without credits, and from one with credits. */
const tokens: Attack = ({ target, poor, rich, agents }, signal) => {
  const body = Buffer.from(`{"input":{"text":"${'/'.repeat(MIB - 64)}"}}`);
  const small = Buffer.from(`{"input":{"text":"${'/'.repeat(200 * 1024)}"}}`);
  return repeat(7, signal, (lane) =>
    send(target, 5, {
      path: call(agents.perToken),
      cookie: lane === 6 ? rich : poor[lane],
      body: lane > 2 ? body : small,
    }),
  );
};

/** A bundle of 16 KB with one header of 1.4 million records. */
const bundles: Attack = ({ target, developers }, signal) => {
  const bundle = bundleOf([{ path: 'pax', type: 'x', text: '6 a=b\n'.repeat(1_390_000) }, { path: 'a' }]);
  const publish = () => {
    const manifest = testManifest('https://127.77.0.1:9443', {
      agentId: `bundle-${randomUUID().slice(0, 8)}`,
    });
    return JSON.stringify({ manifest, bundle_base64: bundle.toString('base64'), submit: false });
  };
  return repeat(4, signal, (lane) =>
    send(target, 6, {
      path: '/v1/developer/agents',
      cookie: developers[lane % developers.length],
      body: publish(),
    }),
  );
};

/** Schemas that take exponential time to compile or to check. */
const schemas: Attack = ({ target, developers }, signal) => {
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      n === 39
        ? { type: 'string' }
        : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  const patterns = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [
      `p${n}`,
      { type: 'string', pattern: `^((a{1,90}){1,9}b${n}){1,9}$` },
    ]),
  );
  const hostile = [
    { type: 'object', $defs: doubled, properties: { text: { $ref: '#/$defs/d0' } } },
    { type: 'object', properties: patterns },
  ];
  return repeat(12, signal, (lane) => {
    const manifest = testManifest('https://127.77.0.1:9443', {
      agentId: `schema-${randomUUID().slice(0, 8)}`,
      inputSchema: hostile[lane % 2] ?? {},
    });
    const body = JSON.stringify({ manifest, submit: false });
    return send(target, 7, {
      path: '/v1/developer/agents',
      cookie: developers[lane % developers.length],
      body,
    });
  });
};

/** Clients that begin a request, never end it, and never close their side. */
const deafClients: Attack = async ({ target }, signal) => {
  const sockets = Array.from({ length: 200 }, (_, n) => {
    const socket = dial(target, 8 + (n % 2));
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
    return socket;
  });
  await until(signal);
  for (const socket of sockets) socket.destroy();
};

/** Event streams of a task that does not end, all of one account. */
const eventStreams: Attack = async ({ target, rich, agents }, signal) => {
  const headers = { 'a2a-version': '1.0' };
  const parts = [{ data: { text: 'x' } }];
  const open = () => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts };
    const body = JSON.stringify({ message });
    const socket = dial(target, 10 + Math.floor(Math.random() * 4));
    socket.resume();
    socket.write(
      headOf({ path: `/v1/a2a/${agents.hanging}/message:stream`, cookie: rich, headers, body }) + body,
    );
    return socket;
  };
  const sockets = [];
  for (let n = 0; n < 600 && !signal.aborted; n += 1) {
    sockets.push(open());
    if (n % 20 === 19) await sleep(50);
  }
  await until(signal);
  for (const socket of sockets) socket.destroy();
};

/** Test events of twenty webhooks to a receiver that never answers. */
const hangingReceivers: Attack = async ({ target, developers, hangingWebhooks }, signal) => {
  let sent = 0;
  await repeat(5, signal, async () => {
    const id = hangingWebhooks[sent % hangingWebhooks.length];
    sent += 1;
    if (sent > 25 * hangingWebhooks.length || id === undefined) return sleep(200);
    return send(target, 14, { path: `/v1/webhooks/${id}/test`, cookie: developers[0] });
  });
};

/** Guesses at the change of a password, and logins from many addresses. */
const passwords: Attack = ({ target, poor }, signal) =>
  repeat(24, signal, (lane) => {
    if (lane % 2 === 0) {
      const body = JSON.stringify({ old_password: randomUUID(), new_password: 'another long passphrase' });
      return send(target, 15, { path: '/v1/auth/password', cookie: poor[lane % poor.length], body });
    }
    const body = JSON.stringify({ email: `${randomUUID()}@example.test`, password: 'guess' });
    return send(target, 16 + lane, { path: '/v1/auth/login', body });
  });

/** Pause of a client that was refused, as `Retry-After` asks for. */
const RETRY_MS = 1_000;

/**
 * Begins as many free calls of an agent that hangs as the limits of six accounts without credits allow, again and
 * again.
 */
const unpaidCalls: Attack = ({ target, poor, agents }, signal) =>
  repeat(256 * poor.length, signal, async (lane) => {
    await sleep(Math.min(lane, 1_000), undefined, { signal });
    const cookie = poor[lane % poor.length];
    const request = { path: call(agents.free), cookie, body: '{"input":{"text":"x"}}' };
    if ((await send(target, 50 + (lane % 12), request)) === 429) await sleep(RETRY_MS, undefined, { signal });
  });

/** As many clients as an organisation has members call at once, each as often as it may. */
const clients =
  (keyOf: (members: readonly string[], lane: number) => string | undefined): Attack =>
  ({ target, members, agents }, signal) =>
    repeat(members.length, signal, async (lane) => {
      const headers = { 'x-api-key': keyOf(members, lane) ?? '' };
      const request = { path: call(agents.echo), headers, body: '{"input":{"text":"x"}}' };
      if ((await send(target, 80 + (lane % 12), request)) === 429)
        await sleep(RETRY_MS, undefined, { signal });
    });

/** All members of one organisation, each with a key of its own. */
const company = clients((members, lane) => members[lane]);
/** The same clients with one key: what a company costs its neighbour beyond it is the cost of its many credentials. */
const account = clients(([first]) => first);

/** Tasks of the accounts and the agent of the unpaid calls: no client waits for them, so no connection is needed. */
const unpaidTasks: Attack = ({ target, poor, agents }, signal) => {
  const headers = { 'a2a-version': '1.0' };
  return repeat(4 * poor.length, signal, async (lane) => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: 'x' } }] };
    const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
    const request = {
      path: `/v1/a2a/${agents.free}/message:send`,
      cookie: poor[lane % poor.length],
      headers,
    };
    const status = await send(target, 70 + (lane % 4), { ...request, body });
    if (status === 429) await sleep(RETRY_MS, undefined, { signal });
  });
};

/**
 * By name, in the order of the report. The ignore rules of the CLI harm no server; their test is beside their source.
 */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'declared bodies': declaredBodies,
  'many nodes': manyNodes,
  'masked answers': maskedAnswers,
  tokens,
  bundles,
  schemas,
  'deaf clients': deafClients,
  'event streams': eventStreams,
  'hanging receivers': hangingReceivers,
  passwords,
  'unpaid calls': unpaidCalls,
  'unpaid tasks': unpaidTasks,
  'an account': account,
  'a company': company,
};
