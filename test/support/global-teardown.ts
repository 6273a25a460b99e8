import { releaseStack } from './stack';

export default async function globalTeardown(): Promise<void> {
  await releaseStack();
}
