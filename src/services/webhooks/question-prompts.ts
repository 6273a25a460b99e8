/**
 * The prompts in events `invocation.input_required`. Events are stored in plain text, and what an agent asks can repeat
 * the buyer's input: so the prompt is stored with the question alone, encrypted, and is read when an event is sent.
 */
import type { EventType } from '../../domain/webhooks/event';
import type { Cipher } from '../../kit/crypto/cipher';
import type { DbPool } from '../../stores/db';
import { readQuestion } from '../../stores/jobs/job-questions';
import { unsealQuestion } from '../calls/agent/job-acceptance';

interface StoredEvent {
  type: EventType | 'webhook.test';
  data: Readonly<Record<string, unknown>>;
}

/** The data of an event, whose prompt is null if it is not known. */
export function dataOf({ type, data }: StoredEvent): Record<string, unknown> {
  return type === 'invocation.input_required' ? { prompt: null, ...data } : { ...data };
}

/** Returns the function that adds the prompt to an event, as long as its question is open. */
export function createPrompts({ pool, cipher }: { pool: DbPool; cipher: Pick<Cipher, 'unseal'> }) {
  return async <E extends StoredEvent>(event: E): Promise<E> => {
    if (event.type !== 'invocation.input_required') return event;
    const id = String(event.data['invocation_id']);
    const question = await readQuestion(pool, id, String(event.data['question_id']));
    if (!question?.isOpen || !question.sealedQuestion) return event;
    const { prompt } = await unsealQuestion(cipher, id, question.sealedQuestion);
    return { ...event, data: { ...event.data, prompt } };
  };
}
