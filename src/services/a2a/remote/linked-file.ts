/** Files of an answer whose address is masked, because they are at the host of their agent (ADR 0364). */
import { randomBytes } from 'node:crypto';
import { MASK } from '../../../kit/masking/masked-output';
import type { Output } from './parts';

/** A file whose address is masked. `token` stands for the file in the JSON of the answer. */
export interface LinkedFile {
  token: string;
  name: string | undefined;
  mediaType: string | undefined;
  url: string;
}

/** A host that is shorter than the mask is masked by asterisks. */
export const MASKED_HOST = /^https:\/\/(?:\[redacted\]|\*{4,9})(?=[/?#]|$)/;
const TOKEN_BYTES = 24;

/** Puts tokens in place of the files with a masked address. */
export function divideLinked(output: Output): { output: object; linked: LinkedFile[] } {
  const linked: LinkedFile[] = [];
  const files = output.files?.map((file) => {
    const { url } = file;
    if (url === undefined || !isMasked(url)) return file;
    const token = randomBytes(TOKEN_BYTES).toString('base64');
    linked.push({ token, name: file.name, mediaType: file.media_type, url });
    return token;
  });
  return { output: files ? { ...output, files } : output, linked };
}

const isMasked = (url: string): boolean => url.includes(MASK) || MASKED_HOST.test(url);
