import { endProcess } from './stack/process-end';
import { releaseStack } from './stack/stack';

export default async function globalTeardown(): Promise<void> {
  await endProcess();
  forgetSources();
  await releaseStack();
}

/** In watch mode the next run may use this process with changed sources, so Node must load them again. */
function forgetSources(): void {
  for (const file of Object.keys(require.cache)) if (file.endsWith('.ts')) delete require.cache[file];
}
