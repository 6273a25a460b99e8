/** The movements of payments by x402 and of refunds to paying addresses, by the ledger's functions alone. */
import { createHash, randomBytes } from 'node:crypto';
import { newId } from '../../../src/kit/ids/ids';
import { type Db, type DbPool, withTransaction } from '../../../src/stores/db';
import { openPayment, releasePayment, settlePayment } from '../../../src/stores/x402/x402-payments';
import { beginRefund, endRefund } from '../../../src/stores/x402/x402-refunds';

const ADDRESS = `0x${'12'.repeat(20)}`;
const hex = () => randomBytes(32).toString('hex');
const TERMS = { network: 'eip155:84532', asset: ADDRESS, nonce: '', trace_id: 'trace', from_block: 0 };
const validBefore = () => new Date(Date.now() + 60_000).toISOString();

/** Opens a payment; it is settled, or its credits are taken back before anything else can spend them. */
export async function payByX402(
  pool: DbPool,
  userId: string,
  units: number,
  isSettled: boolean,
): Promise<string> {
  const item = {
    ...TERMS,
    payment_id: newId('xpm'),
    user_id: userId,
    payer: ADDRESS,
    pay_to: ADDRESS,
    nonce: `0x${hex()}`,
    amount_minor: units * 100,
    amount_units: units,
    identifier: null,
    proof_sha256: createHash('sha256').update(hex()).digest('hex'),
    agent_id: 'agt_paid_v1',
    input_sha256: hex(),
    valid_before: validBefore(),
    invocation_id: newId('inv'),
  };
  await withTransaction(pool, async (tx: Db) => {
    if ((await openPayment(tx, item, 60_000)) !== 'funded') throw new Error('the payment was not opened');
    if (!isSettled) await releasePayment(tx, item.payment_id, 'call_ended');
  });
  if (isSettled) await settlePayment(pool, item.payment_id, `0x${hex()}`);
  return isSettled ? 'settled' : 'released';
}

/** Sends credits back; the transfer is confirmed, or it fails and the credits return. */
export async function sendBack(pool: DbPool, userId: string, units: number, fails: boolean): Promise<string> {
  const item = {
    ...TERMS,
    refund_id: newId('xrf'),
    user_id: userId,
    treasury: ADDRESS,
    pay_to: ADDRESS,
    nonce: `0x${hex()}`,
    amount_units: units,
    amount_minor: units * 100,
    valid_before: validBefore(),
  };
  const outcome = await beginRefund(pool, item, Buffer.from('sealed'));
  if (outcome !== 'begun') return outcome;
  const txHash = `0x${hex()}`;
  await endRefund(
    pool,
    item.refund_id,
    fails ? { state: 'failed', txHash: null, reason: 'x' } : { state: 'confirmed', txHash },
  );
  return fails ? 'returned' : 'sent';
}
