import type { SealContext } from '../../kit/crypto/cipher';

/** The sealing context of what is stored of a job: its address, its messages and its end. */
export function jobContext(invocationId: string): SealContext {
  return { purpose: 'job', invocation_id: invocationId };
}
