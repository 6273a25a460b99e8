/**
 * Keeps inputs and outputs of calls for accounts that want it (ADR 0275): the input when the call is forwarded, beside
 * the agent, and the output when the call has been settled. Every surface passes through these two steps, so no surface
 * keeps anything itself. For other accounts nothing is done, and no statement is sent.
 */
import { isUtf8 } from 'node:buffer';
import type { Cipher, SealContext } from '../../../kit/crypto/cipher';
import { parseStrictJson } from '../../../kit/json/strict-json';
import type { Logger } from '../../../logger';
import { addKeptBody, type BodyPart } from '../../../stores/calls/kept-bodies';
import type { DbPool } from '../../../stores/db';
import { packAnswer } from './answer-format';
import type { CallOutput, InFlightCall } from './in-flight';

/** A larger input or output is not kept: what is kept can also be attached to a dispute, which has the same limit. */
export const MOST_KEPT_BYTES = 262_144;

export interface BodyKeeperDeps {
  pool: DbPool;
  cipher: Cipher;
  /** Bytes that an account may keep (MAX_KEPT_BYTES). */
  quota: number;
  logger: Logger;
}

type Kept = Pick<InFlightCall, 'invocationId' | 'buyerUserId' | 'keepsBodies'>;

export function createBodyKeeper({ pool, cipher, quota, logger }: BodyKeeperDeps) {
  /** A body that could not be kept does not end the call, so a fault is only logged. */
  async function keep({ invocationId, buyerUserId }: Kept, part: BodyPart, packed: Buffer): Promise<void> {
    try {
      const isKept = packed.length <= MOST_KEPT_BYTES;
      const sealed = isKept ? await cipher.seal(packed, keptBodyContext(invocationId, part)) : null;
      await addKeptBody(pool, { invocationId, buyerUserId, part, sealed }, quota);
    } catch (error) {
      logger.warn({ err: error, invocationId, part }, 'a body of a call was not kept');
    }
  }

  return {
    /** Keeps the input of a call that is being forwarded. */
    async input(call: Kept & Pick<InFlightCall, 'inputType'>, body: Buffer): Promise<void> {
      if (call.keepsBodies) await keep(call, 'input', packInput(body, call.inputType));
    },
    /** Keeps the output of a call that was settled. */
    async output(call: Kept, output: CallOutput): Promise<void> {
      if (call.keepsBodies) await keep(call, 'output', packAnswer(output));
    },
  };
}

export type BodyKeeper = ReturnType<typeof createBodyKeeper>;

/** The sealing context of a kept body. */
export function keptBodyContext(invocationId: string, part: BodyPart): SealContext {
  return { purpose: `kept-${part}`, invocation_id: invocationId };
}

const JSON_TYPE = 'application/json';

/**
 * The format of answers. Bytes that were forwarded as they came, and are not JSON by the contract, are a JSON string
 * with their content type.
 */
function packInput(body: Buffer, contentType = JSON_TYPE): Buffer {
  if (contentType === JSON_TYPE && isJson(body)) return body;
  // Longer in any form of a string.
  if (body.length > MOST_KEPT_BYTES) return body;
  const isBase64 = !isUtf8(body);
  const json = Buffer.from(JSON.stringify(body.toString(isBase64 ? 'base64' : 'utf8')));
  return packAnswer({ json, plain: { contentType, isBase64 } });
}

function isJson(body: Buffer): boolean {
  if (body.length > MOST_KEPT_BYTES) return true;
  try {
    parseStrictJson(body);
    return true;
  } catch {
    return false;
  }
}
