/**
 * Leads the product's calls to their end with another engine, around the product's own services and SQL: `none` (in the
 * process, not durable), `dbos` (a DBOS workflow whose steps are the call's) or `restate` (a durable handler).
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { request } from 'undici';
import type { Container } from '../../src/container';
import { drive } from '../../src/domain/calls/course';
import type { CallLauncher } from '../../src/engine/launch';
import { withoutLane } from '../../src/kit/concurrency/lanes';

/** Runs one step so that the engine records its result. */
type RunStep = <S>(name: string, step: () => Promise<S>) => Promise<S>;

/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- the engines are installed by the bench only */

/** The packages of the engines: `bench/peers/node_modules`. */
const requirePeer = createRequire(join(process.cwd(), 'bench', 'peers', 'package.json'));

export async function peerLauncher(
  name: string,
  container: Container,
): Promise<Pick<CallLauncher, 'available' | 'launch'>> {
  const start = await starterOf(name, container);
  return {
    available: () => true,
    async launch({ invocationId }) {
      await withoutLane(() => start(invocationId));
      return true;
    },
  };
}

function starterOf(name: string, container: Container): Promise<(invocationId: string) => Promise<void>> {
  if (name === 'dbos') return dbosStarter(container);
  if (name === 'restate') return restateStarter(container);
  return Promise.resolve((invocationId) => {
    void driveBy(container, invocationId, (_step, work) => work());
    return Promise.resolve();
  });
}

/** Leads a call as `src/engine/launch.ts` does, with each step recorded by the engine. */
async function driveBy({ steps }: Container, invocationId: string, run: RunStep): Promise<void> {
  const { inTurn } = steps;
  const next = await drive(
    {
      hold: () => run('hold', () => inTurn.hold(invocationId)),
      forward: () => run('forward', () => inTurn.forward(invocationId)),
      validate: () => run('validate', () => inTurn.validate(invocationId)),
      settle: () => run('settle', () => inTurn.settle(invocationId)),
    },
    { step: 'hold', at: 'here' },
  );
  if (next.kind === 'refund') await run('refund', () => steps.refund(invocationId, next.code));
}

async function dbosStarter(container: Container) {
  const { DBOS } = requirePeer('@dbos-inc/dbos-sdk');
  DBOS.setConfig({
    name: 'product',
    systemDatabaseUrl: process.env['DBOS_URL'],
    systemDatabasePoolSize: 16,
    logLevel: 'error',
    runAdminServer: false,
  });
  const call = DBOS.registerWorkflow(
    (invocationId: string) =>
      driveBy(container, invocationId, (name, work) => DBOS.runStep(work, { name }) as never),
    { name: 'call' },
  );
  await DBOS.launch();
  return async (invocationId: string) => {
    await DBOS.startWorkflow(call, { workflowID: invocationId })(invocationId);
  };
}

/** Restate's SDK uses `Promise.withResolvers`; Node 20 has none. */
function addWithResolvers(): void {
  const withResolvers = () => {
    const parts = {} as Record<'promise' | 'resolve' | 'reject', unknown>;
    parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
    return parts;
  };
  if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers });
}

async function restateStarter(container: Container) {
  const restate = requirePeer('@restatedev/restate-sdk');
  addWithResolvers();
  const port = Number(process.env['RESTATE_ENDPOINT_PORT']);
  const service = restate.service({
    name: 'product',
    handlers: {
      run: (ctx: any, invocationId: string) =>
        driveBy(container, invocationId, (name, work) => ctx.run(name, work) as never),
    },
  });
  await restate.serve({ services: [service], port });
  const json = { 'content-type': 'application/json' };
  const registered = await request(`${process.env['RESTATE_ADMIN_URL']}/deployments`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
  });
  if (registered.statusCode >= 300) throw new Error(await registered.body.text());
  await registered.body.dump();
  return async (invocationId: string) => {
    const sent = await request(`${process.env['RESTATE_INGRESS_URL']}/product/run/send`, {
      method: 'POST',
      headers: { ...json, 'idempotency-key': invocationId },
      body: JSON.stringify(invocationId),
    });
    await sent.body.dump();
    if (sent.statusCode >= 300) throw new Error(`Restate answered ${sent.statusCode}`);
  };
}
