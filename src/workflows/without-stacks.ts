/**
 * Preloaded into the sandbox of the invocation workflow: the SDK takes a stack trace for each promise that a workflow
 * makes, which costs a call more than its own code does (ADR 0028).
 */
Error.stackTraceLimit = 0;
