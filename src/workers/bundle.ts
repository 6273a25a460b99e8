/** Makes the workflow bundle that every worker runs: `node dist/workers/bundle.js`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

async function main(): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(__dirname, '..', 'workflows', 'index.js'),
  });
  await writeFile(path.join(__dirname, '..', 'workflow-bundle.js'), code);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
