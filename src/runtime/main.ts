import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { announce } from './demonstration/announce';
import { buildDocs } from './demonstration/build-docs';
import { prepareDemoAgents } from './demonstration/demo-agents';
import { releaseFileLock, tryFileLock } from './base/file-lock.cjs';
import { watchMails } from './demonstration/mail-watch';
import { type DemoPayments, prepareDemoPayments } from './demonstration/demo-payments';
import { ensureFirstData } from './demonstration/first-data';
import { forgetProcesses, recordProcesses, stopLeftovers } from './processes/leftovers';
import { choosePorts } from './processes/ports';
import { writePrivate } from './processes/private-file';
import { claimFolder } from './market-folder';
import { describeRuntime } from './runtime-file';
import { loadSecrets } from './secrets';
import { loadStackSettings, type StackSettings } from './settings';
import {
  agentPart,
  apiPart,
  logFolder,
  migrateStack,
  paymentsPart,
  postgresPart,
  temporalPart,
  untilServiceReady,
  urlsOf,
  workerPart,
  type Stack,
} from './stack';
import { createSupervisor, type Supervisor } from './processes/supervisor';
import { findTemporalBinary } from './temporal/temporal-binary';
import { createTerminal, type Terminal } from './base/terminal.cjs';
import { watchSources } from './processes/watch';

/** Ctrl-C stops the stack within 10 s. Processes that are still running after this time are killed. */
const LONGEST_STOP_MS = 9_000;

/**
 * `npm start`: runs the whole marketplace on this machine from one terminal. Each part runs in its own session and is
 * stopped in order, Postgres last, so that calls in flight can still settle.
 */
export async function main(): Promise<void> {
  // The folder contains secrets: what this process and its children create is for this user alone.
  process.umask(0o077);
  const terminal = createTerminal();
  const settings = loadStackSettings();
  try {
    claimFolder(settings.home);
  } catch (error) {
    terminal.notice(`the start failed: ${(error as Error).message}`);
    process.exitCode = 1;
    return;
  }
  const lock = join(settings.home, 'start.lock');
  const holder = tryFileLock(lock);
  if (holder !== undefined) {
    terminal.notice(`already running as process ${holder}; see ${join(settings.home, 'runtime.json')}`);
    process.exitCode = 1;
    return;
  }
  const supervisor = createSupervisor({
    notice: terminal.notice,
    onChange: (processes) => recordProcesses(settings.home, processes),
  });
  const end = createEnd(supervisor, settings, terminal, () => releaseFileLock(lock));
  try {
    await bringUp(settings, supervisor, terminal);
  } catch (error) {
    terminal.say();
    terminal.notice(`the start failed: ${(error as Error).message}`);
    terminal.say(`    Logs: ${logFolder(settings.home)}`);
    await end(1);
  }
}

async function bringUp(settings: StackSettings, supervisor: Supervisor, terminal: Terminal): Promise<void> {
  const { home, root } = settings;
  rmSync(join(home, 'runtime.json'), { force: true });
  const left = await stopLeftovers(home);
  if (left.length > 0)
    terminal.notice(`stopped processes that an earlier start left running: ${left.join(', ')}`);
  const secrets = loadSecrets(home);
  const agents = await prepareDemoAgents(root, home);
  const payments = settings.takesPayments ? await prepareDemoPayments(root, home) : undefined;
  const ports = await choosePorts(settings.ports, terminal.notice);
  const temporalBinary = await findTemporalBinary(terminal.notice);
  const stack: Stack = { settings, ports, secrets, agents, payments, temporalBinary };
  const urls = urlsOf(stack);
  const startPayments = async (part: DemoPayments) => {
    await supervisor.start(paymentsPart(stack, part));
    return `${part.url}, a local chain and a sandbox of Stripe`;
  };
  await allOrFirstError([
    terminal
      .step('postgres', async () => {
        await supervisor.start(postgresPart(stack));
        return `127.0.0.1:${ports.postgres}`;
      })
      .then(() => terminal.step('schema', () => migrateStack(stack))),
    terminal.step('temporal', async () => {
      await supervisor.start(temporalPart(stack));
      return `${urls.temporalAddress}, UI ${urls.temporalUi}`;
    }),
    terminal.step('agents', async () => {
      await Promise.all(agents.map((agent) => supervisor.start(agentPart(stack, agent))));
      return agents.map(({ slug }) => slug).join(', ');
    }),
    ...(payments ? [terminal.step('payments', () => startPayments(payments))] : []),
  ]);
  await terminal.step('service', async () => {
    await Promise.all([supervisor.start(apiPart(stack)), supervisor.start(workerPart(stack))]);
    await untilServiceReady(stack);
    return `API ${urls.api} and worker`;
  });
  const firstData = await ensureFirstData(stack, terminal);
  writePrivate(join(home, 'runtime.json'), describeRuntime(stack, firstData.agents));
  await announce(stack, firstData, terminal);
  watchMails(home, terminal);
  if (settings.buildsDocs) buildDocs(root, terminal);
  if (process.argv.includes('--watch')) watchSources(root, supervisor, terminal);
}

/** Waits for all promises, so that no output follows a reported failure, and then throws the first error. */
async function allOrFirstError(work: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Returns the function that stops the stack once: on Ctrl-C, a signal, a failed start, or an internal error. */
function createEnd(supervisor: Supervisor, settings: StackSettings, terminal: Terminal, release: () => void) {
  let since = 0;
  async function end(exitCode: number): Promise<void> {
    if (since) return;
    since = Date.now();
    setTimeout(() => killAll(supervisor), LONGEST_STOP_MS).unref();
    supervisor.close();
    rmSync(join(settings.home, 'runtime.json'), { force: true });
    await stopInOrder(supervisor);
    forgetProcesses(settings.home);
    release();
    terminal.say(`  stopped in ${((Date.now() - since) / 1_000).toFixed(1)} s`);
    process.exit(exitCode);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!since) terminal.say('\n  stopping …');
      void end(0);
    });
  }
  process.on('uncaughtException', (error) => {
    terminal.notice(`internal error of the supervisor: ${error.stack ?? error.message}`);
    void end(1);
  });
  return end;
}

async function stopInOrder(supervisor: Supervisor): Promise<void> {
  const last = ['temporal', 'postgres'];
  await supervisor.stop(supervisor.names().filter((name) => !last.includes(name)));
  for (const name of last) await supervisor.stop(supervisor.names().filter((other) => other === name));
}

function killAll(supervisor: Supervisor): void {
  for (const { pid } of supervisor.processes()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
}

if (require.main === module) void main();
