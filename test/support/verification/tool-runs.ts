/** Verification runs of agents whose tools a test changes, step by step in the process of the test. */
import type { CallAllowance, VerificationReason } from '../../../src/domain/verification/verification';
import { newId } from '../../../src/kit/ids/ids';
import { putProof } from '../../../src/stores/catalogue/endpoint-proofs';
import type { TestMarket } from '../market';

/** Proves the host of an agent's endpoint, so that every run may list its tools. */
export async function proveHost(
  { owner }: Pick<TestMarket, 'owner'>,
  agentId: string,
  url: string,
): Promise<void> {
  await putProof(owner, { agentId, origin: new URL(url).origin, method: 'dns' });
}

/** Verifies the serving version as its workflow does. Returns the outcome of the run. */
export async function runVerification(
  { container }: Pick<TestMarket, 'container'>,
  agentId: string,
  reason: VerificationReason = 'tools',
  between: () => Promise<void> = () => Promise.resolve(),
  allowed: CallAllowance = 'all',
): Promise<string> {
  const { verification, verificationStages } = container;
  const runId = newId('ver');
  const { signal } = new AbortController();
  const begun = await verification.begin({ agentId, runId, reason });
  if (begun.kind !== 'run') throw new Error(`no run: ${begun.kind}`);
  for (const stage of ['static', 'supplyChain', 'dynamic', 'redTeam'] as const) {
    const count = { before: 0, add: () => undefined };
    await verificationStages.gather(runId, stage, { signal, allowed, count });
    if (stage === 'dynamic') await between();
  }
  return (await verification.conclude(runId)).kind;
}
