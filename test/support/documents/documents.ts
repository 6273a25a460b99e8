/**
 * Runs a page of the documentation as a reader would: its commands in the order in which they stand, in one shell. The
 * page says what is to be seen.
 *
 * - A `sh` block is run. Each of its commands must succeed.
 * - A block with `output` behind its language is what the `sh` block before it prints. `…` stands for any text; members
 *   whose values differ from run to run (`VARIES`) are compared by their form. White space does not count.
 * - A block with `file=<name>` is saved under this name in the current folder.
 * - A `sh` block below a line `_Not run by the test of this page: <reason>._` is not run.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCertificates } from '../agents/authority';
import { withTimeout } from '../../../src/kit/with-timeout';

const ROOT = join(__dirname, '../../..');
const NOT_RUN = /^_Not run by the test of this page: \S.*\._$/;

/** Members whose values no page can know, with the form of their values. */
const VARIES: Record<string, RegExp> = {
  trace_id: /^"[0-9a-f]{32}"$/,
  key: /^"amk_live_[0-9A-Za-z]{36}"$/,
  key_hint: /^"[0-9A-Za-z]{4}"$/,
  signature: /^"[\w-]+\.[\w-]+\.[\w-]+"$/,
  duration_ms: /^\d+$/,
  kid: /^"[\w-]{43}"$/,
};
/** A block that takes longer waits for what will never be: the shell ends then, and every later block fails at once. */
const BLOCK_MS = 90_000;
/** Commands that other tests run: `test/e2e/start.test.ts` the first; the second would run the test of the README. */
const RUN_ELSEWHERE = ['npm start', 'npm test'];
const IDS = /^"[a-z]{3}_[0-9a-f]{32}"$/;
const HASH = /^"[0-9a-f]{64}"$/;
const TIME = /^"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z"$/;

export interface PageBlock {
  kind: 'run' | 'output' | 'file' | 'skipped' | 'shown';
  text: string;
  /** The name, for a block that is a file. */
  name: string;
  line: number;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(markdown: string): PageBlock[] {
  const lines = markdown.split('\n');
  const blocks: PageBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^( *)```(\S*)(?: (.*))?$/.exec(lines[at] ?? '');
    if (!fence) continue;
    const [, indent = '', language = '', info = ''] = fence;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length)).join('\n'); // prettier-ignore
    const reason = lines.slice(0, at).findLast((line) => line.trim() !== '') ?? '';
    const name = /^file=(\S+)$/.exec(info)?.[1] ?? '';
    blocks.push({ kind: kindOf(language, info, reason), text, name, line: at + 1 });
    at = end;
  }
  return blocks;
}

function kindOf(language: string, info: string, before: string): PageBlock['kind'] {
  if (info === 'output') return 'output';
  if (info.startsWith('file=')) return 'file';
  if (language !== 'sh') return 'shown';
  return NOT_RUN.test(before.trim()) ? 'skipped' : 'run';
}

/**
 * Brings a text to the form in which pages are compared: without white space, and with a name for each varying value.
 */
function plain(text: string): string {
  return text
    .replace(
      /"(\w+)"(\s*:\s*)("(?:[^"\\]|\\.)*"|-?[\d.]+)/g,
      (whole, name: string, colon: string, value: string) => {
        const form = VARIES[name] ?? [IDS, HASH, TIME].find((candidate) => candidate.test(value));
        return form?.test(value) ? `"${name}"${colon}<${name}>` : whole;
      },
    )
    .replace(/\s+/g, '');
}

/** Whether the text of a page matches the printed output. */
export function agrees(expected: string, actual: string): boolean {
  const parts = plain(expected).split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')); // prettier-ignore
  return new RegExp(`^${parts.join('.*')}$`).test(plain(actual));
}

export interface CloneFolder {
  /** The root of the clone. */
  clone: string;
  remove: () => void;
}

/** A folder that looks like the clone while `npm start` runs with a `MARKET_HOME` elsewhere. */
export function cloneFolder(): CloneFolder {
  const folder = mkdtempSync(join(tmpdir(), 'market-pages-'));
  const clone = join(folder, 'clone');
  mkdirSync(clone);
  for (const name of readdirSync(ROOT)) {
    if (name !== '.market' && name !== '.git') symlinkSync(join(ROOT, name), join(clone, name));
  }
  return { clone, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The same for the market of a test: with its authority, and a place for its mails. */
export interface PageFolder extends CloneFolder {
  mails: string;
}

export async function pageFolder(): Promise<PageFolder> {
  const { clone, remove } = cloneFolder();
  const tls = join(clone, '.market/tls');
  mkdirSync(tls, { recursive: true });
  const { authority } = await testCertificates();
  writeFileSync(join(tls, 'ca.pem'), authority.certPem);
  writeFileSync(join(tls, 'ca-key.pem'), authority.keyPem, { mode: 0o600 });
  const mails = join(clone, '.market/mails.jsonl');
  writeFileSync(mails, '');
  return { clone, mails, remove };
}

export interface PageRun {
  /** One line for each block whose output differs or whose command failed. */
  problems: string[];
  /** How many blocks were run. */
  ran: number;
}

/**
 * Runs a page. `replace` changes the text of every block before it is run or compared, for addresses that only one
 * process of a machine can have.
 */
export async function runPage(
  page: string,
  shell: PageShell,
  replace: (text: string) => string = (text) => text,
): Promise<PageRun> {
  const run: PageRun = { problems: [], ran: 0 };
  let printed = { output: '', failed: '' };
  const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8'));
  for (const [at, block] of blocks.entries()) {
    const text = replace(block.text);
    const problem = (what: string) => run.problems.push(`${page}:${block.line} ${what}`);
    if (block.kind === 'file') await shell.save(block.name, text);
    if (block.kind === 'output' && !agrees(text, printed.output)) problem(`differs:\n${printed.output}`);
    if (block.kind !== 'run' || RUN_ELSEWHERE.includes(text.trim())) continue;
    printed = await shell.run(text);
    run.ran += 1;
    const isMeant = blocks[at + 1]?.kind === 'output' && blocks[at + 1]?.text.includes('"error"');
    if (printed.failed && !isMeant) problem(`failed: ${printed.failed}\n${printed.output}`);
  }
  return run;
}

export interface PageShell {
  /** Runs a text as if it were pasted. `failed` names the commands that failed, and requests that were refused. */
  run: (text: string) => Promise<{ output: string; failed: string }>;
  /** Saves a file in the folder that the shell is in. */
  save: (name: string, text: string) => Promise<void>;
  /** Ends the shell and all its processes. */
  end: () => Promise<void>;
}

/** The reader's terminal. */
export function startShell(clone: string, env: Record<string, string> = {}): PageShell {
  const scratch = mkdtempSync(join(tmpdir(), 'market-page-'));
  const child = spawn('bash', ['--noprofile', '--norc'], {
    cwd: clone,
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: scratch,
      TMPDIR: tmpdir(),
      NO_COLOR: '1',
      npm_config_update_notifier: 'false',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const group = -(child.pid ?? 0);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.on('error', () => undefined);
  let count = 0;
  child.stdin.write(
    `curl() { command curl --fail-with-body --max-time 60 "$@"; }\nset -o pipefail\nset -E\n`,
  );

  async function run(text: string): Promise<{ output: string; failed: string }> {
    count += 1;
    const [script, output, failed] = ['script', 'output', 'failed'].map((name) => join(scratch, `${name}-${count}`)) as [string, string, string]; // prettier-ignore
    writeFileSync(script, `${text}\n`);
    writeFileSync(failed, '');
    child.stdin.write(
      `trap 'echo "$BASH_COMMAND" >> ${failed}' ERR; { . ${script}; } > ${output} 2>&1; trap - ERR; echo done\n`,
    );
    const { done } = await withTimeout(BLOCK_MS, lines.next(), () => {
      kill();
      return { done: true };
    });
    const printed = existsSync(output) ? readFileSync(output, 'utf8') : '';
    const ending = `the shell ended, at the latest ${BLOCK_MS / 1_000} s after the block began`;
    return { output: printed, failed: done ? ending : readFileSync(failed, 'utf8').trim() };
  }

  function kill(): void {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  return {
    run,
    async save(name, text) {
      const { output } = await run('pwd');
      if (!output.trim()) return;
      writeFileSync(join(output.trim(), name), `${text}\n`);
    },
    async end() {
      child.stdin.end();
      kill();
      await ended;
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
