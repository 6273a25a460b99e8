/**
 * Verifies that a payment was signed by the address that pays, and that it can be used: cheapest first, so that a
 * payment that is worth nothing costs its sender alone.
 */
import { MarketError } from '../../domain/errors';
import type { SignedTerms } from '../../domain/x402/payment-payload';
import { EgressError } from '../../egress/egress-error';
import type { SignedPayment } from '../../egress/facilitator';
import { signerOf } from '../../kit/crypto/evm-address';
import { authorizationDigest } from '../../kit/crypto/usdc-authorization';
import type { X402Rail } from './x402-rail';

/** The bytes at the end of a signature of a contract that does not exist yet (ERC-6492). */
const COUNTERFACTUAL = '6492'.repeat(16);

export function notValid(message: string): MarketError {
  return new MarketError('payment_invalid', { message });
}

/**
 * Returns the number of the newest block, before which the payment was not used. Throws `payment_invalid`, and
 * `not_ready` while the chain or the facilitator does not answer.
 */
export async function verifyPayment(rail: X402Rail, signed: SignedPayment): Promise<number> {
  const { authorization: terms, signature } = signed;
  const digest = authorizationDigest(rail.domain, terms);
  const isOfKey = signerOf(digest, signature)?.toLowerCase() === terms.from.toLowerCase();
  if (!isOfKey && signature.endsWith(COUNTERFACTUAL))
    throw notValid('The paying contract does not exist yet (ERC-6492). Deploy it first, then pay.');
  try {
    const { number } = await rail.chain.block();
    if (!isOfKey) await requireContractSignature(rail, { terms, digest, signature, block: number });
    if (await rail.chain.isUsed(rail.domain.asset, terms.from, terms.nonce, number))
      throw notValid('This authorization was used or canceled. Sign another one.');
    if ((await rail.chain.balanceOf(rail.domain.asset, terms.from, number)) < BigInt(terms.value))
      throw notValid('The paying address holds too little of the token.');
    const verdict = await rail.facilitator.verify(signed);
    if (!verdict.isValid) throw notValid(`The facilitator refuses the payment: ${verdict.reason}.`);
    return number;
  } catch (error) {
    if (error instanceof EgressError) throw away(error);
    throw error;
  }
}

interface ContractSignature {
  terms: SignedTerms;
  digest: Buffer;
  signature: string;
  block: number;
}

/** A signature that no key made may be that of a contract account, which the contract itself decides (ERC-1271). */
async function requireContractSignature(
  { chain }: X402Rail,
  { terms, digest, signature, block }: ContractSignature,
): Promise<void> {
  if (!(await chain.isContract(terms.from, block)))
    throw notValid(
      'The signature is not that of the paying address, or it is for other terms or another token.',
    );
  if (!(await chain.acceptsSignature(terms.from, digest, signature, block)))
    throw notValid('The paying address is a contract, and it does not accept this signature (ERC-1271).');
}

function away(cause: EgressError): MarketError {
  return new MarketError('not_ready', {
    message:
      'The payment cannot be verified at the moment. Nothing was charged. Retry with the same payment.',
    retryAfterSeconds: 5,
    cause,
  });
}
