/** Callbacks of agents: their signature is checked over the raw bytes before these are parsed. */
import { CALLBACKS } from '../../contract/callbacks';
import { askedQuestion, isTooLong, questionProblems } from '../../domain/jobs/question';
import { type FieldProblem, MarketError } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import {
  type ReceivedHeaders,
  refusedSignature,
  SIGNATURE_TOLERANCE_SECONDS,
  type WebhookRefusal,
} from '../../kit/crypto/webhook-signature';
import { compileCheck, type Check } from '../../kit/schemas/validator';
import { MOST_PIECE_BYTES } from '../../domain/jobs/job-pieces';
import type { Callback } from '../../services/jobs/job-callbacks';
import { parseJsonBody } from './body';

/** What proves that an agent has sent a callback. */
export interface CallbackProof {
  /** The signing secrets of the agent. */
  secrets: readonly string[];
  headers: ReceivedHeaders;
}

const TYPES = [...Object.keys(CALLBACKS), 'question'];

const CHECKS = new Map<unknown, Check>(
  Object.entries(CALLBACKS).map(([type, schema]) => [type, compileCheck(schema, 'body')]),
);

const REFUSALS: Record<WebhookRefusal, string> = {
  incomplete:
    'Sign the body by Standard Webhooks: send webhook-id, webhook-timestamp in seconds, and webhook-signature with v1.',
  stale: `webhook-timestamp is more than ${SIGNATURE_TOLERANCE_SECONDS} seconds from now. Sign each attempt with its own time.`,
  unmatched: 'No signature is by a current signing secret of the agent over the bytes that were sent.',
};

/**
 * Reads a callback. Throws `invalid_credentials` unless the agent has signed it, `malformed_json` and
 * `payload_too_large` as for every body, and `validation_failed`.
 */
export function readCallback(bytes: Buffer, { secrets, headers }: CallbackProof): Callback {
  const refusal = refusedSignature(secrets, headers, bytes, Date.now());
  if (refusal) throw new MarketError('invalid_credentials', { message: REFUSALS[refusal] });
  const { value, nodes } = parseJsonBody(bytes);
  const { type, progress, message, output, name, piece } = asRecord(value);
  if (type === 'question') return questionOf(asRecord(value));
  const problems = CHECKS.get(type)?.(value, nodes) ?? [unknownType(type)];
  if (problems.length > 0) throw new MarketError('validation_failed', { detail: problems });
  const sentence = typeof message === 'string' ? message : null;
  if (type === 'progress') return { type, progress: Number(progress), message: sentence };
  if (type === 'failure') return { type, message: sentence };
  if (type === 'piece') return { type, piece: pieceOf(piece) };
  if (type === 'milestone') return { type, name: String(name), piece: pieceOf(piece) };
  return { type: 'answer', output: Buffer.from(JSON.stringify(output)) };
}

/** The JSON text of a piece. Throws `payload_too_large`. */
function pieceOf(piece: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(piece));
  if (text.length > MOST_PIECE_BYTES)
    throw new MarketError('payload_too_large', {
      message: `A piece has at most ${MOST_PIECE_BYTES} bytes of JSON. Send several, or the address of a file.`,
    });
  return text;
}

/** Throws `payload_too_large` and `validation_failed`. */
function questionOf({ type: _type, ...question }: Record<string, unknown>): Callback {
  if (isTooLong(question))
    throw new MarketError('payload_too_large', { message: 'A question has at most 8 KiB.' });
  const problems = questionProblems(question, ['body']);
  if (problems.length > 0) throw new MarketError('validation_failed', { detail: problems });
  return { type: 'question', question: askedQuestion(question) };
}

function unknownType(type: unknown): FieldProblem {
  const isMissing = type === undefined;
  return {
    loc: ['body', 'type'],
    msg: `must be one of ${TYPES.join(', ')}`,
    type: isMissing ? 'required' : 'enum',
  };
}
