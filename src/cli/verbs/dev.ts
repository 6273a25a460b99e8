import { once } from 'node:events';
import type { Server } from 'node:https';
import type { Command } from 'commander';
import { compileSchema } from '../../kit/schemas/schema-compiler';
import type { MarketApi } from '../api-client';
import { verb, type VerbResult } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { isLoopback } from '../local-stack';
import { type AgentProcess, commandOf, createAgentProcess } from '../dev/agent-process';
import type { ManifestChecks } from '../dev/call-lines';
import { type CallbackRelay, startCallbackRelay } from '../dev/callback-relay';
import { startFront } from '../dev/front';
import {
  draftVersion,
  localCertificate,
  raisePatch,
  type Release,
  signingSecret,
  submitDraft,
} from '../dev/release';
import { watchFolder } from '../dev/watch-folder';
import { CliFailure } from '../failure';
import { type ManifestFile, problemText, readManifestFile } from '../packing/manifest-file';
import { compareWithPublished } from '../packing/published-offer';
import { followVerification } from '../terminal/follow-verification';
import { oneLine } from '../terminal/terminal-text';

interface DevOptions extends GlobalOptions {
  command?: string;
  publish: boolean;
}

type Say = (line: string) => void;

/** Ctrl-C, `kill`, and the end of the terminal. */
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const VERIFICATION_TIMEOUT_MS = 900_000;

/** `market dev`. */
export function devVerbs(program: Command): void {
  program
    .command('dev')
    .argument('[folder]', 'folder of the agent, with manifest.json', '.')
    .description('runs an agent on this machine for a local marketplace, and publishes it')
    .option('--command <command>', 'starts the agent; default: npm run dev, or python3 server.py')
    .option('--no-publish', 'only serve; the agent must have been published before')
    .addHelpText(
      'after',
      `
Serves endpoint.url of the manifest with a certificate of the local marketplace, starts the agent with PORT, HOST and
MARKET_SIGNING_SECRET, and prints each call with its deviations from the schemas. A changed file restarts the agent; a
changed manifest is published as the next version, and changes that can break buyers are named. An agent that ends by
itself is reported and started again. Ctrl-C ends it.

An agent that takes jobs gets an address on this machine as X-Callback-Url. Its progress and its answers are checked and
printed as they come, and passed on to the marketplace.

Examples:
  market dev
  market dev my-agent --command "node server.mjs"`,
    )
    .action(
      verb((folder: string, _options, command: Command) =>
        dev(folder, command.optsWithGlobals<DevOptions>()),
      ),
    );
}

async function dev(folder: string, options: DevOptions): Promise<VerbResult> {
  const say: Say = (line) => void process.stdout.write(`${line}\n`);
  let file = await readValid(folder);
  const url = new URL(endpointOf(file));
  if (!isLoopback(url.hostname))
    throw new CliFailure(
      `${url.href} is not on this machine: set endpoint.url to https://127.77.0.5:9443, for example`,
    );
  const api = connect(options);
  const release = await draftVersion(api, file);
  const pair = await localCertificate(api, url.hostname);
  const secret = await signingSecret(api, release.agentId);
  const agent = await createAgentProcess({
    folder: file.folder,
    command: options.command ?? commandOf(file.folder),
    secret,
    say: (line) => say(oneLine(line)),
  });
  let front: Server | undefined;
  let relay: CallbackRelay | undefined;
  let unwatch: (() => void) | undefined;
  try {
    let checks = checksOf(file);
    const address = { host: url.hostname, port: Number(url.port || 443) };
    const seen = { ...address, checks: () => checks, say };
    // An agent that goes on with its jobs calls back as soon as it runs.
    relay = await startCallbackRelay({ ...seen, port: address.port + 1, apiUrl: api.url, secret });
    await start(agent);
    front = await startFront({ ...seen, ...pair, agent, relay });
    say(`${release.agentId} ${release.version} is served at ${url.origin}`);
    if (options.publish) void publish(api, release, say);
    unwatch = await watchFolder(file.folder, async () => {
      const before = file;
      file = await readValid(folder).catch((error: Error) => (say(error.message), before));
      checks = checksOf(file);
      await start(agent).catch((error: Error) => say(error.message));
      say('restarted: a file has changed');
      if (options.publish && hasChanged(before, file)) await republish(api, before, file, say);
    });
    await Promise.race(ENDS.map((signal) => once(process, signal)));
  } finally {
    unwatch?.();
    front?.closeAllConnections();
    front?.close();
    relay?.close();
    await agent.stop();
  }
  return { text: 'Stopped.', json: { agent_id: release.agentId, stopped: true } };
}

async function readValid(folder: string): Promise<ManifestFile> {
  const file = await readManifestFile(folder, { local: true });
  if (file.problems.length > 0) throw new CliFailure(problemText(file.file, file.problems));
  return file;
}

async function start(agent: AgentProcess): Promise<void> {
  if (await agent.restart()) return;
  throw new CliFailure('the agent does not start: it must listen on the port that PORT names');
}

/** Submits the version and prints its states until it is live or rejected. Failures are printed, never thrown. */
async function publish(api: MarketApi, release: Release, say: Say): Promise<void> {
  const { agentId, version } = release;
  try {
    await submitDraft(api, release);
    const end = await followVerification(
      api,
      { agentId, version, timeoutMs: VERIFICATION_TIMEOUT_MS },
      (state) => say(`${agentId} ${version} is ${state}`),
    );
    if (end.report) say(`  score ${end.report.score}; market trust ${agentId} shows each check`);
    if (end.reject_reason) say(oneLine(`  ${end.reject_reason}`));
  } catch (error) {
    say(oneLine((error as Error).message));
  }
}

/** Publishes a changed manifest. Its patch number is raised in the file if the number was used before. */
async function republish(api: MarketApi, before: ManifestFile, file: ManifestFile, say: Say): Promise<void> {
  try {
    for (const { loc, msg } of (await compareWithPublished(api, file.manifest)).problems)
      say(oneLine(`warning: ${loc.join('.')} ${msg}; market publish asks for --breaking`));
    const isSameNumber = before.manifest['version'] === file.manifest['version'];
    if (isSameNumber) raisePatch(file.file);
    const next = isSameNumber ? await readValid(file.folder) : file;
    void publish(api, await draftVersion(api, next), say);
  } catch (error) {
    say(oneLine((error as Error).message));
  }
}

/** Whether anything but the number of the version differs. */
function hasChanged(before: ManifestFile, after: ManifestFile): boolean {
  const plain = ({ manifest }: ManifestFile) => JSON.stringify({ ...manifest, version: '' });
  return plain(before) !== plain(after);
}

function checksOf({ manifest }: ManifestFile): ManifestChecks {
  const compile = (name: string) => compileSchema(manifest[name] as Record<string, unknown>);
  const { jobs } = (manifest['capabilities'] ?? {}) as { jobs?: unknown };
  return { input: compile('input_schema'), output: compile('output_schema'), takesJobs: jobs !== undefined };
}

const endpointOf = ({ manifest }: ManifestFile) => (manifest['endpoint'] as { url: string }).url;
