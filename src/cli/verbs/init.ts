import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { verb, type VerbResult } from '../command-line';
import type { GlobalOptions } from '../connect';
import { CliFailure, usageFailure } from '../failure';
import { meansLocalMarket } from './validate';

interface InitOptions extends GlobalOptions {
  language: 'typescript' | 'python';
  name?: string;
  endpoint?: string;
  install: boolean;
}

/** The commands that install the packages of a new agent, by language. */
const INSTALL = {
  typescript: [['npm', 'install', '--no-audit', '--no-fund']],
  python: [
    ['python3', '-m', 'venv', '.venv'],
    ['.venv/bin/pip', 'install', '--quiet', '-r', 'requirements.txt'],
  ],
} as const;

/** `market init`. */
export function initVerbs(program: Command): void {
  program
    .command('init')
    .argument('<folder>', 'new folder; its name is the slug of the agent')
    .description('makes the folder of an agent: server, manifest, test, Dockerfile, CI workflow')
    .addOption(new Option('--language <language>').choices(['typescript', 'python']).default('typescript'))
    .option('--name <name>', 'name that buyers see; default: from the slug')
    .option('--endpoint <url>', 'public HTTPS URL of the agent; default: a loopback address for market dev')
    .option('--no-install', 'do not install the packages of the agent')
    .addHelpText(
      'after',
      `
The server checks the signature of each request with the Standard Webhooks library.

Examples:
  market init word-counter
  market init word-counter --language python`,
    )
    .action(
      verb((folder: string, _options, command: Command) =>
        init(folder, command.optsWithGlobals<InitOptions>()),
      ),
    );
}

async function init(folder: string, options: InitOptions): Promise<VerbResult> {
  const root = resolve(folder);
  const slug = basename(root);
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(slug))
    throw usageFailure(`${slug} cannot be a slug: use lower-case letters, digits and "-", at most 64`);
  if (existsSync(root) && readdirSync(root).length > 0) throw usageFailure(`${folder} is not empty`);
  const name = options.name ?? slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll('-', ' ');
  const endpoint = options.endpoint ?? defaultEndpoint(options);
  const values = { __SLUG__: slug, __NAME__: name, __ENDPOINT__: endpoint };
  const files = writeFiles(join(templates(), options.language), root, values);
  if (options.install) install(root, options.language);
  const cd = `cd ${folder}`;
  return {
    text: [...files, `Made ${folder}. Next:`, `  ${cd}`, '  market dev'].join('\n'),
    json: { folder: root, slug, endpoint, files, installed: options.install },
  };
}

/** An address of its own on this machine, which the local stack may call, or a placeholder for another marketplace. */
function defaultEndpoint(options: GlobalOptions): string {
  if (!meansLocalMarket(options)) return 'https://agent.example.com';
  return `https://127.77.${randomInt(1, 255)}.${randomInt(1, 255)}:9443`;
}

/** The folder of the templates: in the package beside `dist`, in a clone in its workspace. */
function templates(): string {
  const places = [join(__dirname, '../templates'), join(__dirname, '../../../packages/cli/templates')];
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new CliFailure('the templates are missing: install @agent-marketplace/cli, or use a clone');
}

/** Copies a template. A leading `_` of a name becomes a dot, because npm leaves such files out of packages. */
function writeFiles(from: string, to: string, values: Record<string, string>): string[] {
  const names = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
    .sort();
  return names.map((name) => {
    const path = name.replace(/^_/, '.');
    const text = readFileSync(join(from, name), 'utf8').replaceAll(
      /__[A-Z]+__/g,
      (key) => values[key] ?? key,
    );
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
    return path;
  });
}

function install(folder: string, language: InitOptions['language']): void {
  for (const [command, ...args] of INSTALL[language]) {
    const { status, error } = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 2, 2] });
    if (status === 0) continue;
    const why = error ? error.message : `it ended with ${status}`;
    throw new CliFailure(`${[command, ...args].join(' ')} failed in ${folder}: ${why}`);
  }
}
