import { resolve } from 'node:path';
import { requireCompiled } from '../../src/runtime/base/compiled.cjs';
import { acquireStack } from './stack/stack';

/** The parts that tests run as compiled code: the bundle of the workflows, and threads. */
const COMPILED = [
  'workflows',
  'domain',
  'contract',
  'kit',
  'verification',
  'api/bodies',
  'services/calls/answers',
];

/** Runs once before the projects that need Postgres and Temporal; workers read the stack from the environment. */
export default async function globalSetup(): Promise<void> {
  requireCompiled(
    resolve(__dirname, '../..'),
    COMPILED.map((folder) => `src/${folder}`),
  );
  process.env['MARKET_TEST_STACK'] = JSON.stringify(await acquireStack());
}
