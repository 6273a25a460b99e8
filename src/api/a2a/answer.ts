/** The answer to a question, in the parts of a message. */
import type { Part } from '@a2a-js/sdk';
import type { TaskQuestion } from '../../domain/a2a/a2a-wire';
import { MarketError } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';

/**
 * The answer in a message: its `data` part, a text part that is a JSON object, or the text for a question with one
 * property, which is a string. Throws `validation_failed` for other parts.
 */
export function answerIn(parts: readonly Part[], question: Pick<TaskQuestion, 'schema'> | null): unknown {
  const [part, ...more] = parts;
  const content = part?.content;
  if (more.length > 0) throw invalid('An answer has one part.');
  if (content?.$case === 'data') return content.value;
  if (content?.$case !== 'text') throw invalid('An answer is a data part, or a text part.');
  const field = textFieldOf(question?.schema);
  if (field !== undefined) return { [field]: content.value };
  const read = jsonObject(content.value);
  if (read) return read;
  throw invalid('This question takes a data part with the members of its schema.');
}

/** The only property of a schema, if it is a text. */
function textFieldOf(schema: unknown): string | undefined {
  const fields = Object.entries(asRecord(asRecord(schema)['properties']));
  const [field, ...more] = fields;
  return field && more.length === 0 && asRecord(field[1])['type'] === 'string' ? field[0] : undefined;
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function invalid(msg: string): MarketError {
  const detail = [{ loc: ['body', 'message', 'parts'], msg, type: 'value' }];
  return new MarketError('validation_failed', { message: msg, detail });
}
