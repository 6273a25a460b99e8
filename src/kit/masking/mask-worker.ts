/** Worker thread that masks large answers, one piece at a time. */
import { asBuffer, ownMemory, serveJobs } from '../threads/thread-jobs';
import { createSecret, type Masker, type MaskerOptions, type Secret } from './masking';
import { BoundedMap } from '../bounded-map';

/** `bytes`: the next piece; undefined at the end. */
export type MaskRequest =
  | { op: 'mask'; stream: number; texts: readonly string[]; options: MaskerOptions; bytes?: Uint8Array }
  | { op: 'drop'; stream: number }
  | { op: 'texts'; texts: readonly string[]; input: Uint8Array };

/** `found`: indices of texts that occur and were not found before. */
export interface MaskReply {
  bytes: Uint8Array;
  found: number[];
}

/** Secrets whose search is prepared, the last used one last. */
const MAX_SECRETS = 8;
const secrets = new BoundedMap<string, Secret>(MAX_SECRETS);
const streams = new Map<number, { masker: Masker; found: number[] }>();

function secretOf(texts: readonly string[]): Secret {
  const key = JSON.stringify(texts);
  const secret = secrets.get(key) ?? createSecret(texts);
  secrets.set(key, secret);
  return secret;
}

function streamOf({ stream, texts, options }: Extract<MaskRequest, { op: 'mask' }>) {
  const known = streams.get(stream);
  if (known) return known;
  const found: number[] = [];
  const masker = secretOf(texts).masker((text) => found.push(text), options);
  const added = { masker, found };
  streams.set(stream, added);
  return added;
}

const NOTHING: MaskReply = { bytes: new Uint8Array(0), found: [] };

function answer(request: MaskRequest): MaskReply {
  if (request.op === 'drop') {
    streams.delete(request.stream);
    return NOTHING;
  }
  if (request.op === 'texts') {
    return { ...NOTHING, found: [...secretOf(request.texts).textsIn(asBuffer(request.input))] };
  }
  const { masker, found } = streamOf(request);
  const bytes = new Uint8Array(request.bytes ? masker.push(Buffer.from(request.bytes)) : masker.end());
  if (!request.bytes) streams.delete(request.stream);
  return { bytes, found: found.splice(0) };
}

serveJobs(answer, { moved: ({ bytes }) => (bytes.length > 0 ? ownMemory(bytes) : []) });
