/**
 * The workflows of the queue `invocations`, in a bundle of their own. It evaluates each module once for all calls of a
 * process, so no module that these workflows import may have state at its top level.
 */
export { callGroup } from './call-group';
export { invocation } from './invocation';
