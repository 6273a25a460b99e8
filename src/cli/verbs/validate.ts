import type { Command } from 'commander';
import { verb } from '../command-line';
import { apiAddress, type GlobalOptions } from '../connect';
import { isLoopback } from '../local-stack';
import { EXIT } from '../failure';
import { problemText, readManifestFile } from '../packing/manifest-file';

interface ValidateOptions extends GlobalOptions {
  endpoint?: string;
}

/** `market validate`. */
export function validateVerbs(program: Command): void {
  program
    .command('validate')
    .argument('[path]', 'an agent folder with manifest.json, or a manifest file', '.')
    .description('reports all problems of a manifest, each with its line and a fix')
    .option('--endpoint <url>', 'overrides endpoint.url of the manifest')
    .addHelpText(
      'after',
      `
Works offline. Exit 0: the manifest can be published; 1: it has problems; 2: it cannot be read.

Examples:
  market validate
  market validate my-agent --json`,
    )
    .action(
      verb(async (path: string, _options, command: Command) => {
        const options = command.optsWithGlobals<ValidateOptions>();
        const { file, problems } = await readManifestFile(path, {
          local: meansLocalMarket(options),
          endpoint: options.endpoint,
        });
        const isValid = problems.length === 0;
        return {
          text: isValid ? `${file} can be published.` : problemText(file, problems),
          json: { file, valid: isValid, problems },
          exitCode: isValid ? EXIT.done : EXIT.refused,
        };
      }),
    );
}

/** Whether the configured marketplace, if any, runs on this machine. Agents may then use loopback addresses. */
export function meansLocalMarket(options: GlobalOptions): boolean {
  try {
    return isLoopback(new URL(apiAddress(options)).hostname);
  } catch {
    return false;
  }
}
