import { accountOperations } from './accounts';
import { healthOperations } from './health';
import type { Operation } from './operation';

/**
 * The whole API, one row per operation: what exists is here, and what is here is served, validated, documented and
 * tested. Each resource keeps its own list beside its schemas.
 */
export const operations: readonly Operation[] = [
  ...healthOperations,
  ...accountOperations,
] as unknown as Operation[];
