/** The rows of an export as lines of JSON and of CSV. Sealed values are opened; others pass as they were read. */
import type { Cipher } from '../../kit/crypto/cipher';
import { writeCsv } from '../../kit/rails/csv';
import type { SealedKind } from '../../stores/leaving/exported-list';
import { unpackAnswer } from '../calls/agent/answer-format';
import { type BodyPart } from '../../stores/calls/kept-bodies';
import { keptBodyContext } from '../calls/agent/body-keeper';
import { attachmentContext } from '../disputes/dispute-attachments';
import { unsealWebhook } from '../webhooks/webhook-secrets';

type Row = Record<string, unknown>;

/** Opens the sealed values of a row. */
export async function openRow(cipher: Cipher, kind: SealedKind, row: Row): Promise<Row> {
  if (kind === 'webhook') {
    const { sealed, ...rest } = row;
    const { url } = await unsealWebhook(cipher, {
      webhookId: textOf(row.webhook_id),
      sealed: bytesOf(sealed),
    });
    return { ...rest, url };
  }
  if (kind === 'attachment') {
    const { sealed, ...rest } = row;
    const opened = await cipher.unseal(bytesOf(sealed), attachmentContext(textOf(row.attachment_id)));
    return { ...rest, content: JSON.parse(opened.toString()) as unknown };
  }
  const open = async (part: BodyPart) => {
    if (row[part] === null) return null;
    const context = keptBodyContext(textOf(row.invocation_id), part);
    return bodyOf(await cipher.unseal(bytesOf(row[part]), context));
  };
  return { ...row, input: await open('input'), output: await open('output') };
}

/** A kept body: its JSON, or its text with what it was. */
function bodyOf(bytes: Buffer): unknown {
  const { json, plain } = unpackAnswer(bytes);
  const value = JSON.parse(json.toString()) as unknown;
  if (!plain) return value;
  return { content_type: plain.contentType, ...(plain.isBase64 && { encoding: 'base64' }), value };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const bytesOf = (value: unknown) => Buffer.from(textOf(value), 'base64');

/** One JSON array of rows, a row in a line. */
export async function* jsonFile(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let before = '[';
  for await (const line of lines) {
    yield `${before}\n${line}`;
    before = ',';
  }
  yield before === '[' ? '[]\n' : '\n]\n';
}

/** The same rows as a table: the columns of the first row, and values that are no text or number as JSON. */
export async function* csvFile(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let columns: string[] | undefined;
  for await (const line of lines) {
    const row = JSON.parse(line) as Row;
    if (!columns) {
      columns = Object.keys(row);
      yield writeCsv([columns]);
    }
    yield writeCsv([columns.map((column) => cellOf(row[column]))]);
  }
}

function cellOf(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return value;
  return JSON.stringify(value);
}
