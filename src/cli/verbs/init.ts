import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { verb, type VerbResult } from '../command-line';
import type { GlobalOptions } from '../connect';
import { CliFailure, EXIT, usageFailure } from '../failure';
import { meansLocalMarket } from './validate';
import { withTimeout } from '../../kit/with-timeout';

interface InitOptions extends GlobalOptions {
  language: 'typescript' | 'python';
  name?: string;
  endpoint?: string;
  jobs?: boolean;
  install: boolean;
  installTimeout: number;
}

/** How often a command that installs packages is reported as still running. */
const PROGRESS_SECONDS = 10;
const LATE = 'late';
/** The commands that print which registry packages come from. */
const REGISTRY = { typescript: 'npm config get registry', python: 'pip config list' } as const;

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
    .addOption(
      new Option('--language <language>', 'language of the agent')
        .choices(['typescript', 'python'])
        .default('typescript'),
    )
    .option('--name <name>', 'name that buyers see; default: from the slug')
    .option('--endpoint <url>', 'public HTTPS URL of the agent; default: a loopback address for market dev')
    .option('--jobs', 'work that takes minutes or hours: takes calls with 202 and calls their answers back')
    .option('--no-install', 'do not install the packages of the agent')
    .addOption(
      new Option('--install-timeout <seconds>', 'how long a command that installs packages may take')
        .default(180)
        .argParser(readSeconds),
    )
    .addHelpText(
      'after',
      `
Packages come from the registry that npm or pip is configured for. When they cannot be installed, the folder stays, and the
message names the command to run again.
The server checks the signature of each request with the Standard Webhooks library.

Examples:
  market init word-counter
  market init word-counter --language python
  market init slow-reader --jobs`,
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
  // Markdown reads __NAME__ as bold text, and formatters write it so.
  const values = { __SLUG__: slug, __NAME__: name, '{{NAME}}': name, __ENDPOINT__: endpoint };
  makeFolder(root);
  const files = writeFiles(templatesOf(options), root, values);
  if (options.install) await install(folder, options);
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

/** The folders whose files make an agent. A file of a later one replaces that of an earlier one. */
function templatesOf({ language, jobs }: InitOptions): string[] {
  const all = templates();
  return [join(all, language), ...(jobs ? [join(all, `${language}-jobs`)] : [])];
}

/** The folder of the templates: in the package beside `dist`, in a clone in its workspace. */
function templates(): string {
  const places = [join(__dirname, '../templates'), join(__dirname, '../../../packages/cli/templates')];
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new CliFailure('the templates are missing: install @agent-marketplace/cli, or use a clone');
}

/**
 * Makes a folder and those above it, one by one: Node's recursive `mkdir` never ends in a file system that takes no new
 * folders, such as /proc. Throws a usage failure there.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw usageFailure(`${path} cannot be made: ${dirname(path)} takes no new folders`);
  }
}

/** Copies templates. A leading `_` of a name becomes a dot, because npm leaves such files out of packages. */
function writeFiles(from: readonly string[], to: string, values: Record<string, string>): string[] {
  const sources = new Map(
    from.flatMap((folder) => namesIn(folder).map((name) => [name, join(folder, name)] as const)),
  );
  return [...sources].sort().map(([name, source]) => {
    const path = name.replace(/^_/, '.');
    const text = readFileSync(source, 'utf8').replaceAll(
      /__[A-Z]+__|\{\{[A-Z]+\}\}/g,
      (key) => values[key] ?? key,
    );
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
    return path;
  });
}

/** The files of a folder and of those below it, relative to it. */
function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0) return seconds;
  throw new InvalidArgumentError('Write a whole number of seconds, such as 180.');
}

/**
 * Installs the packages of an agent. Throws `CliFailure` (4 after the time limit, else 1) with the commands that
 * remain.
 */
async function install(folder: string, { language, installTimeout }: InitOptions): Promise<void> {
  for (const [index, words] of INSTALL[language].entries()) {
    const ended = await runIn(resolve(folder), words, installTimeout);
    if (ended === 0) continue;
    const isLate = ended === LATE;
    const why = isLate
      ? `did not end within ${installTimeout} s: does the registry answer? See \`${REGISTRY[language]}\``
      : `failed: ${typeof ended === 'number' ? `it ended with ${ended}` : ended}`;
    const rest = INSTALL[language].slice(index).map((each) => each.join(' '));
    const next = ['cd ' + folder, ...rest, 'market dev'].join(' && ');
    throw new CliFailure(
      `the files are in ${folder}, but \`${words.join(' ')}\` ${why}\n  next: ${next}`,
      isLate ? EXIT.later : EXIT.refused,
    );
  }
}

/**
 * Runs a command, and reports on standard error that it runs. Returns its exit code, LATE after `limitSeconds`, or why
 * it did not start or end.
 */
async function runIn(cwd: string, words: readonly string[], limitSeconds: number): Promise<number | string> {
  const line = words.join(' ');
  const [command = '', ...args] = words;
  process.stderr.write(`${line} …\n`);
  // A group of its own, so that its end is the end of what npm has started, too.
  const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], detached: true });
  const end = () => killGroup(child.pid);
  process.once('SIGINT', end);
  let seconds = 0;
  const progress = setInterval(() => {
    seconds += PROGRESS_SECONDS;
    process.stderr.write(`${line}: ${seconds} s, at most ${limitSeconds} s\n`);
  }, PROGRESS_SECONDS * 1_000);
  const ended = new Promise<number | string>((settle) => {
    child.once('error', ({ message }) => settle(message));
    child.once('exit', (code, signal) => settle(code ?? `it was ended by ${signal}`));
  });
  try {
    return await withTimeout(limitSeconds * 1_000, ended, () => LATE);
  } finally {
    clearInterval(progress);
    process.off('SIGINT', end);
    end();
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group runs any more.
  }
}
