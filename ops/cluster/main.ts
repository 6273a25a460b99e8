import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { releaseFileLock, tryFileLock } from '../../src/runtime/base/file-lock.cjs';
import { createTerminal, type Terminal } from '../../src/runtime/base/terminal.cjs';
import { prepareDemoAgents } from '../../src/runtime/demonstration/demo-agents';
import { ensureFirstData } from '../../src/runtime/demonstration/first-data';
import { forgetProcesses, stopLeftovers } from '../../src/runtime/processes/leftovers';
import { choosePorts } from '../../src/runtime/processes/ports';
import { writePrivate } from '../../src/runtime/processes/private-file';
import { loadSecrets } from '../../src/runtime/secrets';
import { loadStackSettings } from '../../src/runtime/settings';
import { agentPart, logFolder, untilServiceReady, urlsOf, type Stack } from '../../src/runtime/stack';
import { temporalCertificates } from './certificates';
import { choosePortsOf, type Cluster, clusterHome, type ClusterSecrets } from './layout';
import { failOver, lose, rebuildReplica, restartProcess, rollingOrder } from './operations';
import { findPrograms } from './programs';
import { formerPrimary, PORT_NAMES, type RunningCluster, startCluster, stopCluster } from './start';

/** `npm run cluster`: the production topology on this machine, without containers, until Ctrl-C. */
export async function main(): Promise<void> {
  process.umask(0o077);
  const terminal = createTerminal();
  const home = clusterHome(loadStackSettings().root);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const lock = join(home, 'start.lock');
  const holder = tryFileLock(lock);
  if (holder !== undefined) return terminal.fail(`already running as process ${holder}`);
  try {
    const cluster = await prepareCluster(home, terminal);
    const running = await startCluster(cluster, terminal);
    stopAtEnd(running, terminal, () => releaseFileLock(lock));
    await startDemonstration(running, terminal);
    showHelp(running, terminal);
    obey(running, terminal);
  } catch (error) {
    releaseFileLock(lock);
    terminal.fail(`the start failed: ${(error as Error).message}`, `Logs: ${logFolder(home)}`);
  }
}

/** Finds programs, ports, certificates and secrets of a cluster, and stops what an earlier start left running. */
export async function prepareCluster(home: string, terminal: Terminal): Promise<Cluster> {
  const left = await stopLeftovers(home);
  if (left.length > 0) terminal.notice(`stopped processes of an earlier start: ${left.join(', ')}`);
  const settings = { ...loadStackSettings(), home };
  const programs = await findPrograms(terminal.notice);
  const portOf = await choosePortsOf(PORT_NAMES);
  const { api, temporal } = await choosePorts(
    { api: settings.ports.api, temporal: settings.ports.temporal },
    terminal.notice,
  );
  const primary = formerPrimary(home);
  const ports = { ...settings.ports, api, temporal, postgres: portOf(primary) };
  const agents = await prepareDemoAgents(settings.root, home);
  const stack: Stack = { settings, ports, secrets: loadSecrets(home), agents, temporalBinary: '' };
  const tls = await temporalCertificates(join(home, 'temporal-tls'));
  return { stack, secrets: clusterSecrets(home), programs, tls, primary, readsFrom: primary, portOf };
}

function clusterSecrets(home: string): ClusterSecrets {
  const path = join(home, 'cluster-secrets.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as ClusterSecrets;
  const secret = () => randomBytes(18).toString('base64url');
  const secrets = { temporal: secret(), pooler: secret() };
  writePrivate(path, secrets);
  return secrets;
}

/** Starts the demonstration agents, and publishes them through the proxy. */
export async function startDemonstration(running: RunningCluster, terminal: Terminal) {
  const { stack } = running.cluster;
  await Promise.all(stack.agents.map((agent) => running.supervisor.start(agentPart(stack, agent))));
  await untilServiceReady(stack);
  return ensureFirstData(stack, terminal);
}

function showHelp({ cluster, supervisor }: RunningCluster, { say, bold }: Terminal): void {
  const { api } = urlsOf(cluster.stack);
  say(`\n  ${bold('The cluster runs')}: ${api}, ${supervisor.names().length} processes. Ctrl-C stops it.`);
  say('    roll              restart every process, one after another');
  say('    restart <name>    restart one process');
  say('    failover          kill the primary, and make the replica the primary');
  say('    status            the processes\n');
}

/** Carries out the commands of the terminal, one at a time. */
function obey(running: RunningCluster, terminal: Terminal): void {
  let last = Promise.resolve();
  createInterface({ input: process.stdin }).on('line', (line) => {
    last = last
      .then(() => carryOut(running, line.trim(), terminal))
      .catch((error: Error) => terminal.notice(error.message));
  });
}

async function carryOut(running: RunningCluster, line: string, terminal: Terminal): Promise<void> {
  const [verb, name = ''] = line.split(/\s+/);
  const restart = (one: string) =>
    terminal.step(one, async () => {
      await restartProcess(running, one);
      return 'restarted';
    });
  if (verb === 'roll') for (const one of rollingOrder(running)) await restart(one);
  else if (verb === 'restart') await restart(name);
  else if (verb === 'failover') await loseAndReplacePrimary(running, terminal);
  else if (verb === 'status')
    for (const one of running.supervisor.processes()) terminal.say(`    ${one.pid}  ${one.name}`);
  else if (verb) terminal.notice(`unknown command: ${verb}`);
}

async function loseAndReplacePrimary(running: RunningCluster, terminal: Terminal): Promise<void> {
  const { cluster } = running;
  const lost = cluster.primary;
  await terminal.step('failover', async () => {
    await lose(running, lost);
    await failOver(running);
    return `${cluster.primary} is the primary`;
  });
  await terminal.step('replica', async () => {
    await rebuildReplica(running);
    return `${lost} follows`;
  });
}

function stopAtEnd(running: RunningCluster, terminal: Terminal, release: () => void): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      terminal.say('\n  stopping …');
      running.supervisor.close();
      void stopCluster(running).finally(() => {
        forgetProcesses(running.cluster.stack.settings.home);
        release();
        process.exit(0);
      });
    });
  }
}

if (require.main === module) void main();
