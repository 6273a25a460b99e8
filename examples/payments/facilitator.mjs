/** The facilitator of x402 on the local chain: verifies and settles signed payments, as the packages of x402 do. */
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';

export function createFacilitator({ client }, network) {
  const signer = toFacilitatorEvmSigner({ ...client, address: client.account.address });
  const facilitator = new x402Facilitator().register(network, new ExactEvmScheme(signer));
  return {
    verify: ({ paymentPayload, paymentRequirements }) =>
      facilitator.verify(paymentPayload, paymentRequirements),
    settle: ({ paymentPayload, paymentRequirements }) =>
      facilitator.settle(paymentPayload, paymentRequirements),
    supported: () => facilitator.getSupported(),
  };
}
