/** The facilitator of x402, on the chain of the test, over HTTPS. */
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { NETWORK, type UsdcChain } from './chain';
import { realTime } from '../waits';
import { startJsonServer, type JsonServer } from './json-server';

/**
 * `settle` is answered, is answered with silence before or after it settles, or is refused. `settles late`: the payment
 * arrives after `lateMs`, and the answer says that it is pending. `lies that it settled`, `lies that it did not`: the
 * answer is the opposite of what happens.
 */
export type Conduct =
  | 'settles'
  | 'dies before settling'
  | 'dies after settling'
  | 'refuses'
  | 'does not settle'
  | 'settles late'
  | 'settles twice'
  | 'lies that it settled'
  | 'lies that it did not';

export interface TestFacilitator extends JsonServer {
  conduct: Conduct;
  /** For `settles late`. */
  lateMs: number;
  /** Uses an authorization that it has seen, unasked. */
  use(payment: PaymentPayload): Promise<void>;
  /** Settlements that are still to happen. */
  late: Promise<unknown>[];
  /** Bodies of `/settle`. */
  settled: { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements }[];
}

export async function startFacilitator(chain: UsdcChain, host = '127.77.0.13'): Promise<TestFacilitator> {
  const { client } = chain;
  const signer = toFacilitatorEvmSigner({
    ...(client as unknown as Parameters<typeof toFacilitatorEvmSigner>[0]),
    address: client.account.address,
  });
  const scheme = new ExactEvmScheme(signer);
  const facilitator = new x402Facilitator().register(NETWORK, scheme);
  const settled: TestFacilitator['settled'] = [];

  async function handle(path: string, body: unknown): Promise<unknown> {
    const { paymentPayload, paymentRequirements } = body as TestFacilitator['settled'][number];
    if (path === '/verify') {
      if (running.conduct === 'refuses')
        return { isValid: false, invalidReason: 'not_in_the_mood', payer: '' };
      return facilitator.verify(paymentPayload, paymentRequirements);
    }
    settled.push({ paymentPayload, paymentRequirements });
    if (running.conduct === 'dies before settling') throw new Error('dead');
    if (running.conduct === 'lies that it settled')
      return { success: true, transaction: `0x${'ab'.repeat(32)}`, network: NETWORK, payer: '' };
    if (running.conduct === 'settles late') {
      running.late.push(
        realTime(running.lateMs, 'a slow chain').then(() =>
          facilitator.settle(paymentPayload, paymentRequirements),
        ),
      );
      return { success: false, errorReason: 'settlement_pending', transaction: '', network: NETWORK };
    }
    if (running.conduct === 'lies that it did not') {
      await facilitator.settle(paymentPayload, paymentRequirements);
      return { success: false, errorReason: 'no_gas', transaction: '', network: NETWORK };
    }
    if (running.conduct === 'does not settle') {
      return { success: false, errorReason: 'no_gas', transaction: '', network: NETWORK };
    }
    const answer = await facilitator.settle(paymentPayload, paymentRequirements);
    if (running.conduct === 'settles twice') await facilitator.settle(paymentPayload, paymentRequirements);
    if (running.conduct === 'dies after settling') throw new Error('dead');
    return answer;
  }

  const server = await startJsonServer(host, handle);
  const first: Pick<TestFacilitator, 'conduct' | 'lateMs' | 'late'> = {
    conduct: 'settles',
    lateMs: 0,
    late: [],
  };
  const use = async (payment: PaymentPayload) => void (await facilitator.settle(payment, payment.accepted));
  const running: TestFacilitator = Object.assign(server, first, { settled, use });
  return running;
}
