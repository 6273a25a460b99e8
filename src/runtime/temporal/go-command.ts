import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

export interface GoOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** File that gets the whole output of a command that fails. */
  logFile: string;
  /**
   * Called with the number of lines of each piece of progress: with `-v`, Go prints a line for each compiled package.
   */
  onLines?: (lines: number) => void;
}

/**
 * Runs `go` and returns its standard output. Throws `Error` with the first line that names a failure and what to do
 * about it: Go prints hundreds of lines of progress around that line.
 */
export function runGo(args: readonly string[], options: GoOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
      options.onLines?.(chunk.split('\n').length - 1);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(stdout);
      const output = `${stderr}${stdout}`;
      writeFileSync(options.logFile, output);
      const failure = goFailure(output) ?? `go ${args[0]} ended with ${code ?? signal}`;
      reject(new Error(`${failure}\n      The whole output: ${options.logFile}`));
    });
  });
}

const LONGEST_LINE = 400;
/** A package that was compiled, a module that is downloaded, or the heading of a package's errors. */
const PROGRESS = /^\s*(?:\S+|go: (?:downloading|finding|extracting) .*|# \S+|"(?:Path|Version)": .*)$/;

const REMEDIES: readonly [RegExp, string][] = [
  [/requires go >=|golang\.org\/toolchain|download go1/, 'Install the version of Go that this line names.'],
  [
    /no space left on device|disk quota exceeded/,
    'Free about 3 GB, or let GOCACHE, GOMODCACHE and TMPDIR name folders of a larger disk.',
  ],
  [
    /go\.sum|checksum mismatch|SECURITY ERROR/,
    'Check that tools/temporal-server/go.mod and go.sum are those of the repository, and that GOPROXY names a proxy that you trust.',
  ],
  [
    /dial tcp|no such host|i\/o timeout|connection re|TLS handshake|x509|proxy|GOPROXY|: 40[34] |: 50\d /i,
    'Go could not fetch a module. Let GOPROXY name a module proxy that this machine reaches.',
  ],
  [/signal: killed|out of memory|cannot allocate/, 'The compiler ran out of memory. It needs about 2 GB.'],
];

/** The first line of Go's output that names a failure, and below it what to do; undefined if there is none. */
export function goFailure(output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.replace(/^\s*"Error": /, ''));
  const line = lines.find((candidate) => candidate.trim() !== '' && !PROGRESS.test(candidate));
  if (line === undefined) return undefined;
  const remedy = REMEDIES.find(([pattern]) => pattern.test(line))?.[1];
  return [line.trim().slice(0, LONGEST_LINE), ...(remedy ? [remedy] : [])].join('\n      ');
}
