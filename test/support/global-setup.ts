import { acquireStack } from './stack/stack';

/** Runs once before the projects that need Postgres and Temporal; workers read the stack from the environment. */
export default async function globalSetup(): Promise<void> {
  process.env['MARKET_TEST_STACK'] = JSON.stringify(await acquireStack());
}
