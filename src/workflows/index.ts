export { invocation } from './invocation';
export { agentVerification } from './agent-verification';
export { disputeCase } from './dispute-case';
export { slashBond } from './slash-bond';
export { bondWithdrawal } from './bond-withdrawal';
export { verificationRun } from './verification-run';
export { retentionSweep } from './retention-sweep';
export { webhookDelivery } from './webhook-delivery';
