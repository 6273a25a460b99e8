/** A payment as the facilitator and the database get it. */
import { createHash } from 'node:crypto';
import { creditsToUnits } from '../../domain/ledger/money';
import { bazaarOf, requirementOf } from '../../domain/x402/payment-terms';
import type { SignedPayment } from '../../egress/facilitator';
import { newId } from '../../kit/ids/ids';
import type { PaymentItem } from '../../stores/x402/x402-payments';
import type { PresentedCall } from './payment-answers';
import type { X402Rail } from './x402-rail';

/**
 * The payment for the facilitator, with what its public index may list: nothing of an agent that is not listed here.
 */
export function signedOf(
  { target, domain }: X402Rail,
  { version, resource, payment }: PresentedCall,
  isListed: boolean,
): SignedPayment {
  const { authorization, signature } = payment;
  return {
    network: target.network,
    asset: target.asset,
    assetName: domain.name,
    assetVersion: domain.version,
    validSeconds: requirementOf(target, version, 1).maxTimeoutSeconds,
    authorization,
    signature,
    resource: {
      url: resource.url,
      description: isListed ? `One call of ${version.displayName}` : 'One call of an agent',
    },
    ...(isListed && { extensions: { bazaar: bazaarOf(version, resource) } }),
  };
}

/** The payment for the database; its account and the block before it are not known yet. */
export function itemOf(
  { target }: X402Rail,
  { version, payment, credits }: PresentedCall,
  { inputSha256, traceId }: { inputSha256: string; traceId: string },
): PaymentItem {
  const { authorization: terms, signature, identifier } = payment;
  const { from, to, value, validAfter, validBefore, nonce } = terms;
  const proof = [from, to, value, validAfter, validBefore, nonce, signature].join('\n').toLowerCase();
  return {
    payment_id: newId('xpm'),
    user_id: '',
    network: target.network,
    asset: target.asset.toLowerCase(),
    payer: from.toLowerCase(),
    nonce,
    pay_to: target.payTo.toLowerCase(),
    amount_minor: Number(value),
    amount_units: creditsToUnits(credits),
    identifier,
    proof_sha256: createHash('sha256').update(proof).digest('hex'),
    agent_id: version.agentId,
    input_sha256: inputSha256,
    valid_before: new Date(Number(validBefore) * 1_000).toISOString(),
    from_block: 0,
    trace_id: traceId,
  };
}
