/** What buyers attach to disputes: the input and the output of the call, each proven by the digest that the call recorded. */
import { MarketError } from '../../domain/errors';
import type { Cipher, SealContext } from '../../kit/crypto/cipher';
import { newId } from '../../kit/ids/ids';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { Db } from '../../stores/db';
import {
  type AttachmentPart,
  insertAttachments,
  listAttachments,
  type NewAttachment,
} from '../../stores/disputes/dispute-attachments';
import type { DisputedCall } from '../../stores/disputes/disputed-call';

/** JSON; or text, where the input or the output was no JSON. */
export type DisputeAttachments = Partial<Record<AttachmentPart, unknown>>;

const PARTS = ['input', 'output'] as const satisfies readonly AttachmentPart[];
/** Bytes of one attachment as JSON. */
const MOST_BYTES = 262_144;

export const attachmentContext = (attachmentId: string): SealContext => ({
  purpose: 'dispute-attachment',
  attachment_id: attachmentId,
});

/** Encrypts what is attached. Throws `validation_failed` for a part that is too large. */
export async function sealAttachments(
  cipher: Cipher,
  attachments: DisputeAttachments,
): Promise<NewAttachment[]> {
  const rows: NewAttachment[] = [];
  for (const part of PARTS.filter((each) => attachments[each] !== undefined)) {
    const json = Buffer.from(JSON.stringify(attachments[part]));
    if (json.length > MOST_BYTES) throw refusal(part, `must have at most ${MOST_BYTES} bytes as JSON`);
    const attachmentId = newId('dsa');
    rows.push({ attachmentId, part, sealed: await cipher.seal(json, attachmentContext(attachmentId)) });
  }
  return rows;
}

/** Stores sealed attachments. Throws `validation_failed` unless each has the digest that the call recorded for it. */
export async function keepAttachments(
  tx: Db,
  disputeId: string,
  given: { attachments: DisputeAttachments; sealed: readonly NewAttachment[] },
  call: Pick<DisputedCall, 'inputSha256' | 'outputSha256'>,
): Promise<void> {
  const digests = { input: call.inputSha256, output: call.outputSha256 };
  for (const { part } of given.sealed) {
    const recorded = digests[part];
    if (recorded === null) throw refusal(part, `the call recorded no ${part}`);
    if (!digestsOf(given.attachments[part]).includes(recorded))
      throw refusal(part, `must be the ${part} of the call, whose SHA-256 is ${recorded}`);
  }
  await insertAttachments(tx, disputeId, given.sealed);
}

/** Reads what the buyer attached to a dispute. */
export async function readAttachments(
  db: Db,
  cipher: Cipher,
  disputeId: string,
): Promise<DisputeAttachments> {
  const attachments: DisputeAttachments = {};
  for (const { attachmentId, part, sealed } of await listAttachments(db, disputeId)) {
    const json = await cipher.open(sealed, attachmentContext(attachmentId));
    attachments[part] = JSON.parse(json.toString()) as unknown;
  }
  return attachments;
}

/** JSON is hashed in its canonical form (RFC 8785); text that was passed on unchanged, by its bytes. */
function digestsOf(value: unknown): string[] {
  const digests = [sha256Hex(canonicalJson(value))];
  return typeof value === 'string' ? [...digests, sha256Hex(value)] : digests;
}

function refusal(part: AttachmentPart, msg: string): MarketError {
  return new MarketError('validation_failed', {
    detail: [{ loc: ['body', 'attachments', part], msg, type: 'value' }],
  });
}
