import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Workflow {
  jobs: Record<string, { steps: { uses?: string; run?: string; 'working-directory'?: string }[] }>;
}

const ROOT = join(__dirname, '../..');

it('verifies an agent in a GitHub workflow after building the marketplace, whose scanners are compiled', () => {
  const text = readFileSync(join(ROOT, 'examples/github-actions/verify-agent.yml'), 'utf8');
  const { jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const commands = steps.flatMap(({ run, 'working-directory': folder = '.' }) =>
    run ? [[folder, run]] : [],
  );
  expect(commands).toEqual([
    ['marketplace', 'npm ci'],
    ['marketplace', 'npm run build'],
    ['.', 'node marketplace/tools/market.mjs verify "agent/$AGENT"'],
  ]);
});
