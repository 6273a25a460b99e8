/**
 * What buyers attach to disputes: the input and the output of the call, each proven by the digest that the call
 * recorded.
 */
import { type FieldProblem, MarketError } from '../../domain/errors';
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

/** The parts that are too large. */
export function sizeProblems(attachments: DisputeAttachments): FieldProblem[] {
  return PARTS.filter((part) => attachments[part] !== undefined)
    .filter((part) => jsonOf(attachments[part]).length > MOST_BYTES)
    .map((part) => problem(part, `must have at most ${MOST_BYTES} bytes as JSON`));
}

/** Encrypts what is attached. Throws `validation_failed` with every part that is too large. */
export async function sealAttachments(
  cipher: Cipher,
  attachments: DisputeAttachments,
): Promise<NewAttachment[]> {
  refuse(sizeProblems(attachments));
  const rows: NewAttachment[] = [];
  for (const part of PARTS.filter((each) => attachments[each] !== undefined)) {
    const attachmentId = newId('dsa');
    const sealed = await cipher.seal(jsonOf(attachments[part]), attachmentContext(attachmentId));
    rows.push({ attachmentId, part, sealed });
  }
  return rows;
}

/**
 * Stores sealed attachments. Throws `validation_failed` with every part that does not have the digest that the call
 * recorded for it.
 */
export async function keepAttachments(
  tx: Db,
  disputeId: string,
  given: { attachments: DisputeAttachments; sealed: readonly NewAttachment[] },
  call: Pick<DisputedCall, 'inputSha256' | 'outputSha256'>,
): Promise<void> {
  const digests = { input: call.inputSha256, output: call.outputSha256 };
  refuse(
    given.sealed.flatMap(({ part }) => {
      const recorded = digests[part];
      if (recorded === null) return [problem(part, `the call recorded no ${part}`)];
      if (digestsOf(given.attachments[part]).includes(recorded)) return [];
      return [problem(part, `must be the ${part} of the call, whose SHA-256 is ${recorded}`)];
    }),
  );
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
    const json = await cipher.unseal(sealed, attachmentContext(attachmentId));
    attachments[part] = JSON.parse(json.toString()) as unknown;
  }
  return attachments;
}

/** JSON is hashed in its canonical form (RFC 8785); text that was passed on unchanged, by its bytes. */
function digestsOf(value: unknown): string[] {
  const digests = [sha256Hex(canonicalJson(value))];
  return typeof value === 'string' ? [...digests, sha256Hex(value)] : digests;
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function refuse(detail: FieldProblem[]): void {
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
}

function problem(part: AttachmentPart, msg: string): FieldProblem {
  return { loc: ['body', 'attachments', part], msg, type: 'value' };
}
