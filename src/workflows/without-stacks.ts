/**
 * Preloaded into the sandbox of the invocation workflow. The SDK takes a stack trace for each promise of a workflow,
 * which costs a call more than the workflow's own code (docs/internals/temporal.md#the-bundle-of-calls).
 */
Error.stackTraceLimit = 0;
