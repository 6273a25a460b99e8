/** The workflows of the queue `invocations`, in a bundle of their own. */
export { callGroup } from './call-group';
export { invocation } from './invocation';
