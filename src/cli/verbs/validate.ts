import type { Command } from 'commander';
import { verb, type VerbResult } from '../command-line';
import { apiAddress, connect, type GlobalOptions } from '../connect';
import { isLoopback } from '../local-stack';
import { CliFailure, EXIT } from '../failure';
import { type ManifestFile, problemText, readManifestFile } from '../packing/manifest-file';
import { compareWithPublished } from '../packing/published-offer';

interface ValidateOptions extends GlobalOptions {
  endpoint?: string;
  breaking?: boolean;
}

/** `market validate`. */
export function validateVerbs(program: Command): void {
  program
    .command('validate')
    .argument('[path]', 'an agent folder with manifest.json, or a manifest file', '.')
    .description('reports all problems of a manifest, each with its line and a fix')
    .option('--endpoint <url>', 'overrides endpoint.url of the manifest')
    .option('--breaking', 'accepts changes that can break buyers of this major')
    .addHelpText(
      'after',
      `
The examples must match both schemas. When you are logged in at a marketplace, schemas, price and capabilities are
compared with the version of the same major that serves there: a change that can break buyers is a problem.
Works offline too, without that comparison. Exit 0: the manifest can be published; 1: it has problems; 2: it cannot be read.

Examples:
  market validate
  market validate my-agent --json
  market validate --breaking`,
    )
    .action(
      verb((path: string, _options, command: Command) =>
        validate(path, command.optsWithGlobals<ValidateOptions>()),
      ),
    );
}

async function validate(path: string, options: ValidateOptions): Promise<VerbResult> {
  const read = await readManifestFile(path, {
    local: meansLocalMarket(options),
    endpoint: options.endpoint,
  });
  const { file } = read;
  const compared = read.problems.length === 0 ? await compare(read, options) : undefined;
  const problems = [...read.problems, ...(compared?.problems ?? [])];
  const isValid = problems.length === 0;
  const verdict = isValid ? `${file} can be published.` : problemText(file, problems);
  return {
    text: [verdict, compared?.note].filter(Boolean).join('\n'),
    json: { file, valid: isValid, problems, compared_with: compared?.version ?? null },
    exitCode: isValid ? EXIT.done : EXIT.refused,
  };
}

/** Compares a manifest with what serves; without a marketplace or a login there is nothing to compare with. */
async function compare(read: ManifestFile, { breaking = false, ...options }: ValidateOptions) {
  const api = reachable(options);
  if (!api) return undefined;
  try {
    const { version, problems } = await compareWithPublished(api, read.manifest);
    if (!breaking) return { version, problems: read.describe(problems), note: undefined };
    const note = problems.map(({ loc, msg }) => `accepted: ${loc.join('.')} ${msg}`).join('\n');
    return { version, problems: [], note };
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const note = `Not compared with the version that serves: ${error.message}`;
    return { version: undefined, problems: [], note };
  }
}

/** The marketplace of the options, if there is a credential for it. */
function reachable(options: GlobalOptions) {
  try {
    return connect(options);
  } catch (error) {
    if (error instanceof CliFailure) return undefined;
    throw error;
  }
}

/** Whether the configured marketplace, if any, runs on this machine. Agents may then use loopback addresses. */
export function meansLocalMarket(options: GlobalOptions): boolean {
  try {
    return isLoopback(new URL(apiAddress(options)).hostname);
  } catch {
    return false;
  }
}
