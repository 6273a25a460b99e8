/** The one place that signs a transfer of the treasury: for payouts, and for credits that are sent back. */
import type { SignedPayment } from '../../egress/facilitator';
import { nonceOf } from '../../kit/crypto/usdc-authorization';
import type { UsdcRail } from './usdc-rail';

interface TransferTerms {
  /** Its nonce is derived from the id, so that a transfer can be used once. */
  id: string;
  /** A checksummed address. */
  payTo: string;
  /** In the smallest unit of the token. */
  amountMinor: number;
  /** Seconds since the epoch. */
  expiresAt: number;
  /** What the facilitator logs: a path of this service, and words. */
  resource: { path: string; description: string };
}

/** Signs a transfer. Store it before it is sent: signing again is harmless, as it gives the same authorization. */
export function signTransfer(rail: UsdcRail, terms: TransferTerms): SignedPayment {
  const { id, payTo, amountMinor, expiresAt, resource } = terms;
  const authorization = {
    from: rail.treasury,
    to: payTo,
    value: String(amountMinor),
    validAfter: '0',
    validBefore: String(expiresAt),
    nonce: nonceOf(id),
  };
  return {
    network: rail.network,
    asset: rail.domain.asset,
    assetName: rail.domain.name,
    assetVersion: rail.domain.version,
    validSeconds: rail.validSeconds,
    authorization,
    signature: rail.sign(authorization),
    resource: { url: `${rail.origin}${resource.path}`, description: resource.description },
  };
}
