/** Builds the image of the Dockerfile as a folder: its COPY and RUN lines, in folders that were empty. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

export interface Image {
  /** The working folder of the last stage. */
  folder: string;
  /** The variables of its ENV lines. */
  env: Record<string, string>;
}

interface Stage {
  name: string;
  folder: string;
  env: Record<string, string>;
}

/** Steps for the system of the image, which this machine has. */
const OF_THE_SYSTEM = /^apt-get /;

/** Builds the image in `target` with this process's Node. Files that .dockerignore leaves out are not there. */
export async function buildImage(root: string, target: string): Promise<Image> {
  const isSent = ignoreRules(readFileSync(join(root, '.dockerignore'), 'utf8'));
  const stages: Stage[] = [];
  const current = () => {
    const stage = stages.at(-1);
    if (!stage) throw new Error('the Dockerfile has a step before its first FROM');
    return stage;
  };
  for (const [step = '', rest = ''] of stepsOf(readFileSync(join(root, 'Dockerfile'), 'utf8'))) {
    if (step === 'FROM') {
      const name = / AS (\w+)$/i.exec(rest)?.[1] ?? 'image';
      const folder = join(target, name);
      mkdirSync(folder, { recursive: true });
      stages.push({ name, folder, env: {} });
    } else if (step === 'ENV') {
      for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) current().env[key] = value;
    } else if (step === 'COPY') {
      copy(rest.split(' '));
    } else if (step === 'RUN' && !OF_THE_SYSTEM.test(rest)) {
      const { folder, env } = current();
      await promisify(execFile)('sh', ['-c', rest], { cwd: folder, env: { ...process.env, ...env } });
    }
  }
  const { folder, env } = current();
  return { folder, env };

  function copy(words: string[]): void {
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    const [to = '', ...paths] = words.reverse();
    const stage = stages.find(({ name }) => name === from);
    for (const path of paths) {
      const source = stage ? join(stage.folder, path.replace(/^\/app\//, '')) : join(root, path);
      const isFolder = to.endsWith('/');
      const goal = join(current().folder, isFolder ? join(to, relative(dirname(source), source)) : to);
      mkdirSync(dirname(goal), { recursive: true });
      const filter = stage ? undefined : (file: string) => isSent(relative(root, file));
      cpSync(source, goal, { recursive: true, verbatimSymlinks: true, ...(filter && { filter }) });
    }
  }
}

/** The instructions with what follows them, without comments; lines that end in a backslash go on. */
function stepsOf(dockerfile: string): string[][] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, step, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    return step && rest ? [[step, rest]] : [];
  });
}

/** Whether a path is sent to the build: the last line of .dockerignore that matches it or a folder above it decides. */
function ignoreRules(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ isSent: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));
  const isFolderOfRule = (path: string) => text.split('\n').some((line) => line.startsWith(`!${path}/`));
  return (path) => {
    const last = rules.findLast(({ pattern }) => pattern.test(path));
    return path === '' || isFolderOfRule(path) || last?.isSent === true;
  };
}

function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\//g, '<any>')
    .replace(/\/\*\*$/, '(?:/.*)?')
    .replace(/\*/g, '[^/]*')
    .replace(/<any>/g, '(?:.*/)?');
  return new RegExp(`^${source}(?:/.*)?$`);
}
