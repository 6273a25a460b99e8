/**
 * Client for the `/embeddings` of an OpenAI-compatible API: texts to vectors. Its address is a setting of the operator,
 * not an attacker-controlled one, so it may be private and without TLS, such as that of a model on the same machine.
 */
import { request } from 'undici';
import { directionOf } from '../domain/catalogue/search/meaning';
import { isRecord } from '../domain/json-value';
import { EgressError } from './egress-error';

export interface EmbeddingSettings {
  /** Base address, such as `https://api.openai.com/v1`. */
  url: string;
  model: string;
  /** Sent as a bearer token; empty for none. */
  key: string;
}

export interface Embedder {
  model: string;
  /** The direction of each text. Throws `EgressError`, whose message contains no text of the response. */
  embed(texts: readonly string[], timeoutMs: number): Promise<Int8Array[]>;
}

const MAX_ANSWER_BYTES = 8 * 1_048_576;
const MOST_DIMENSIONS = 4_096;

export function createEmbedder({ url, model, key }: EmbeddingSettings): Embedder {
  const address = `${url.replace(/\/+$/, '')}/embeddings`;
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
  return {
    model,
    async embed(texts, timeoutMs) {
      const body = JSON.stringify({ model, input: texts, encoding_format: 'float' });
      const value = await post(address, { headers, body }, timeoutMs);
      return directionsOf(value, texts.length);
    },
  };
}

async function post(
  address: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  timeoutMs: number,
): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await request(address, { method: 'POST', headers, body, signal });
    if (answer.statusCode !== 200) {
      await answer.body.dump();
      throw refused(`responded with status ${answer.statusCode}`);
    }
    return JSON.parse(await textOf(answer.body)) as unknown;
  } catch (error) {
    if (error instanceof EgressError) throw error;
    const { name, code } = error as NodeJS.ErrnoException;
    throw refused(`could not be asked (${code ?? name})`);
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) throw refused('responded with too many bytes');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** `{data: [{index, embedding}]}`: the order is that of the indexes. */
function directionsOf(value: unknown, count: number): Int8Array[] {
  const data = isRecord(value) && Array.isArray(value['data']) ? (value['data'] as unknown[]) : [];
  const directions: (Int8Array | undefined)[] = [];
  for (const each of data.slice(0, count)) {
    const { index, embedding } = isRecord(each) ? each : {};
    if (typeof index !== 'number' || !isVector(embedding)) continue;
    directions[index] = directionOf(embedding);
  }
  const found = Array.from({ length: count }, (_, at) => directions[at]);
  if (!found.every((each) => each !== undefined && each.length === found[0]?.length))
    throw refused('did not respond with a vector for each text');
  return found as Int8Array[];
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length <= MOST_DIMENSIONS &&
  value.every((number) => typeof number === 'number' && Number.isFinite(number));

function refused(what: string): EgressError {
  return new EgressError('bad_response', `the embedding endpoint ${what}`);
}
