export { invocation } from './invocation';
export { agentVerification } from './agent-verification';
export { verificationRun } from './verification-run';
