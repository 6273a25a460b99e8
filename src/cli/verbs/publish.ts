import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { ApiFailure, type MarketApi } from '../api-client';
import { verb, type VerbResult } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { CliFailure, EXIT, usageFailure } from '../failure';
import { followVerification, type VerificationEnd } from '../terminal/follow-verification';
import { type ManifestFile, problemText, readManifestFile } from '../packing/manifest-file';
import { packFolder, type PackedFolder } from '../packing/pack-folder';
import { compareWithPublished } from '../packing/published-offer';
import { reportText } from '../terminal/trust-text';
import { meansLocalMarket } from './validate';

interface PublishOptions extends GlobalOptions {
  endpoint?: string;
  bundle: boolean;
  draft?: boolean;
  breaking?: boolean;
  dryRun?: boolean;
  wait: boolean;
  timeout: string;
}

export type Published = Schema<'PublishedVersion'>;

const EXAMPLES = `
A change of schemas, price or capabilities that can break buyers of the version that serves is refused, unless the major
number rises or --breaking is given. The bundle holds all files except those in .gitignore and .marketignore, .git, node_modules, .env and keys. The author is
the account that is logged in. Exit 0: live; 1: refused or rejected; 4: not decided within --timeout (it continues).

Examples:
  market publish
  market publish my-agent --endpoint https://agent.example.com
  market publish my-agent --dry-run
  market publish my-agent --no-wait --json`;

/** `market publish`. */
export function publishVerbs(program: Command): void {
  program
    .command('publish')
    .argument('[folder]', 'folder of the agent, with manifest.json', '.')
    .description('publishes a version of an agent and follows its verification')
    .option('--endpoint <url>', 'overrides endpoint.url of the manifest')
    .option('--no-bundle', 'send the manifest alone; the stages that check source code then score nothing')
    .option('--breaking', 'accepts changes that can break buyers of this major')
    .option('--draft', 'save a draft, without verification')
    .option('--dry-run', 'check, pack and list the files; send nothing')
    .option('--no-wait', 'exit as soon as the version is submitted')
    .option('--timeout <seconds>', 'how long to follow the verification', '900')
    .addHelpText('after', EXAMPLES)
    .action(
      verb((folder: string, _options, command: Command) =>
        publish(folder, command.optsWithGlobals<PublishOptions>()),
      ),
    );
}

async function publish(folder: string, options: PublishOptions): Promise<VerbResult> {
  const timeoutMs = Number(options.timeout) * 1_000;
  if (!(timeoutMs > 0))
    throw usageFailure(`--timeout must be a positive number of seconds, not ${options.timeout}`);
  const say = (line: string) => void (options.json || process.stderr.write(`${line}\n`));
  const local = meansLocalMarket(options);
  const file = await readManifestFile(folder, { local, endpoint: options.endpoint });
  if (file.problems.length > 0) return refused(file, file.problems);
  const packed = options.bundle ? await packFolder(file.folder) : undefined;
  if (packed) sayPacked(packed, say);
  if (options.dryRun) return dryRun(file, packed);

  const api = connect(options);
  const author = await readAuthor(api);
  const { problems } = await compareWithPublished(api, file.manifest);
  if (problems.length > 0 && !options.breaking) return refused(file, file.describe(problems));
  for (const { loc, msg } of problems) say(`accepted: ${loc.join('.')} ${msg}`);
  const sent = await sendVersion(api, file, {
    manifest: { ...file.manifest, ...(author && { author }) },
    ...(packed && { bundle_base64: packed.bytes.toString('base64') }),
    submit: !options.draft,
  });
  if ('exitCode' in sent) return sent;
  const { agent_id: agentId, version, status } = sent;
  const by = author ? ` by ${author}` : '';
  if (options.draft || !options.wait)
    return { text: `${agentId} ${version}${by} is ${status}.`, json: { ...sent, author: author ?? null } };
  say(`${agentId} ${version}${by}`);
  const end = await followVerification(api, { agentId, version, timeoutMs }, (state, elapsedMs) =>
    say(`  ${(elapsedMs / 1_000).toFixed(1).padStart(6)} s  ${state}`),
  );
  return concluded(sent, author, end);
}

function sayPacked({ files, bytes, skipped, secrets }: PackedFolder, say: (line: string) => void): void {
  say(`packed ${files.length} files, ${Math.ceil(bytes.length / 1024)} KiB`);
  for (const path of skipped) say(`skipped ${path}: not a regular file`);
  for (const path of secrets) say(`warning: left out ${path}: it holds credentials`);
}

function dryRun({ file }: ManifestFile, packed: PackedFolder | undefined): VerbResult {
  const files = packed?.files ?? [];
  return {
    text: [...files.map(({ path }) => path), `${file} can be published. Nothing was sent.`].join('\n'),
    json: { file, valid: true, sent: false, files, skipped: packed?.skipped ?? [] },
  };
}

/** The developer id of the logged-in account. Undefined with an API key, which may not read the profile. */
export async function readAuthor(api: MarketApi): Promise<string | undefined> {
  if (process.env['MARKET_API_KEY']) return undefined;
  const { developer_id } = await api.call<{ developer_id: string | null }>('GET', '/v1/auth/me');
  if (developer_id) return developer_id;
  throw new CliFailure('this account is not a developer: only developers can publish', EXIT.login, {
    code: 'forbidden',
  });
}

/** Publishes the version. Returns a failed result when the marketplace finds further problems in the manifest. */
export async function sendVersion(
  api: MarketApi,
  file: ManifestFile,
  body: object,
): Promise<Published | RefusedResult> {
  try {
    return await api.call<Published>('POST', '/v1/developer/agents', body);
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.detail.length === 0) throw error;
    const ofManifest = error.detail.filter(({ loc }) => loc[1] === 'manifest');
    if (ofManifest.length < error.detail.length) {
      const messages = error.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`);
      throw new CliFailure(`${error.message}\n  ${messages.join('\n  ')}`, EXIT.refused, error.json);
    }
    return refused(
      file,
      file.describe(ofManifest.map((problem) => ({ ...problem, loc: problem.loc.slice(2) }))),
    );
  }
}

type RefusedResult = VerbResult & { exitCode: number };

function refused({ file }: ManifestFile, problems: ManifestFile['problems']): RefusedResult {
  return {
    text: problemText(file, problems),
    json: { file, valid: false, problems },
    exitCode: EXIT.refused,
  };
}

function concluded(sent: Published, author: string | undefined, end: VerificationEnd): VerbResult {
  const { status, reject_reason: reason, report } = end;
  const outcome =
    status === 'live'
      ? `${sent.agent_id} ${sent.version} is live.`
      : `${sent.agent_id} ${sent.version} was ${status}${reason ? `: ${reason}` : '.'}`;
  return {
    text: [...(report ? [reportText(report), ''] : []), outcome].join('\n'),
    json: { ...sent, author: author ?? null, status, reject_reason: reason, report },
    exitCode: status === 'live' ? EXIT.done : EXIT.refused,
  };
}
