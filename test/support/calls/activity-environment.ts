import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** The SDK's environment of one activity, from which no line reports the failures that a test expects. */
export const activityEnvironment = (info: { attempt?: number } = {}): MockActivityEnvironment =>
  new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
