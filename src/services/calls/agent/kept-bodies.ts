/** What accounts keep of their calls, as they read, set and erase it (ADR 0275). */
import { MarketError } from '../../../domain/errors';
import type { Cipher } from '../../../kit/crypto/cipher';
import { canonicalJson, sha256Hex } from '../../../kit/json/canonical-json';
import {
  type BodyPart,
  eraseBodies,
  type KeptRow,
  markErased,
  readBodyOwner,
  readKeepDays,
  readKeptBodies,
  setKeepDays,
} from '../../../stores/calls/kept-bodies';
import type { DbPool } from '../../../stores/db';
import { type KeptAnswer, unpackAnswer } from './answer-format';
import { keptBodyContext } from './body-keeper';

/** Calls whose bodies one request erases at once; the retention sweep erases the others. */
const ERASED_AT_ONCE = 5_000;
const BATCH = 500;

/** What is kept of one call. */
export interface CallBodies {
  /** Null if nothing is kept. */
  keptUntil: Date | null;
  input: KeptAnswer | null;
  output: KeptAnswer | null;
  /** The parts that were too large to be kept. */
  tooLarge: BodyPart[];
}

const NOTHING: CallBodies = { keptUntil: null, input: null, output: null, tooLarge: [] };

export function createKeptBodies({ pool, cipher }: { pool: DbPool; cipher: Cipher }) {
  async function open(invocationId: string, row: KeptRow, part: BodyPart): Promise<KeptAnswer | null> {
    const sealed = row[part];
    return sealed && unpackAnswer(await cipher.unseal(sealed, keptBodyContext(invocationId, part)));
  }

  /** The digest of the call's input. Throws `not_found` for a call that the account did not pay. */
  async function digestOf(userId: string, invocationId: string): Promise<string> {
    const call = await readBodyOwner(pool, invocationId);
    if (call?.buyerUserId !== userId) throw new MarketError('not_found');
    return call.inputSha256;
  }

  return {
    /** For how many days an account keeps inputs and outputs; 0: not at all. */
    days: (userId: string): Promise<number> => readKeepDays(pool, userId),

    /** Sets the days for the calls from now on. What is kept already stays until its day. */
    setDays: (userId: string, days: number): Promise<void> => setKeepDays(pool, userId, days),

    /** What is kept of a call. Throws `not_found` for a call that the account did not pay. */
    async read(userId: string, invocationId: string): Promise<CallBodies> {
      const digest = await digestOf(userId, invocationId);
      const row = await readKeptBodies(pool, userId, invocationId);
      if (!row) return NOTHING;
      const input = await open(invocationId, row, 'input');
      return {
        keptUntil: row.expiresAt,
        input: input && asSent(input, digest),
        output: await open(invocationId, row, 'output'),
        tooLarge: row.tooLarge,
      };
    },

    /**
     * Erases what is stored of the input and the output of a call, also the answer for a repeated key. Throws
     * `not_found` for a call that the account did not pay.
     */
    async erase(userId: string, invocationId: string): Promise<void> {
      await digestOf(userId, invocationId);
      await eraseBodies(pool, userId, { invocationId });
    },

    /** Erases everything that the account keeps: none of it can be read when this returns. */
    async eraseAll(userId: string): Promise<void> {
      await markErased(pool, userId);
      for (let erased = 0; erased < ERASED_AT_ONCE; erased += BATCH)
        if ((await eraseBodies(pool, userId, { most: BATCH })) < BATCH) return;
    },
  };
}

export type KeptBodies = ReturnType<typeof createKeptBodies>;

/** JSON that was forwarded byte for byte is shown as its text, so that it has the digest that the call recorded. */
function asSent(input: KeptAnswer, digest: string): KeptAnswer {
  if (input.plain) return input;
  const text = input.json.toString();
  if (sha256Hex(canonicalJson(JSON.parse(text) as unknown)) === digest) return input;
  const plain = { contentType: 'application/json', isBase64: false };
  return { json: Buffer.from(JSON.stringify(text)), plain };
}
