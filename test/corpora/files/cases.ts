/** Form and parts of the cases of this folder. */
import { createHash } from 'node:crypto';

export type Files = Record<string, string | Buffer>;

export interface FilesCase {
  name: string;
  files: Files;
}

/** A third of the cases is `held`: it is measured, and no rule is written from it. */
export function partOf({ name }: { name: string }): 'rules' | 'held' {
  const first = createHash('sha256').update(name).digest()[0] ?? 0;
  return first % 3 === 0 ? 'held' : 'rules';
}

export const b64 = (text: string) => Buffer.from(text).toString('base64');

/** A pickle of protocol 4 that calls `name` of `module` with a text. */
export function pickle(module: string, name: string, argument: string): Buffer {
  const short = (text: string) => Buffer.concat([Buffer.from([0x8c, text.length]), Buffer.from(text), Buffer.from([0x94])]);
  const body = Buffer.concat([short(module), short(name), Buffer.from([0x93, 0x94]), short(argument), Buffer.from([0x85, 0x94, 0x52, 0x94, 0x2e])]);
  const size = Buffer.alloc(8);
  size.writeUInt8(body.length);
  return Buffer.concat([Buffer.from([0x80, 4, 0x95]), size, body]);
} // prettier-ignore

/** The head of a program for Linux. */
export const elf = () =>
  Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01\x00', 'latin1'), Buffer.alloc(56, 1), Buffer.alloc(200)]);

const chunk = (name: string, data: Buffer) => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  return Buffer.concat([size, Buffer.from(name), data, Buffer.alloc(4, 0xae)]);
};

export const png = () =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.alloc(13, 1)),
    chunk('IDAT', Buffer.alloc(64, 0xa7)),
    chunk('IEND', Buffer.alloc(0)),
  ]);

export function jpeg(comment = 'made by a camera'): Buffer {
  const text = Buffer.from(comment);
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  const size = Buffer.from([0xff, 0xfe, (text.length + 2) >> 8, (text.length + 2) & 255]);
  return Buffer.concat([head, size, text, Buffer.from([0xff, 0xda, 0, 2]), Buffer.alloc(80, 0x5a), Buffer.from([0xff, 0xd9])]);
} // prettier-ignore

export const gif = () =>
  Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    Buffer.from([1, 0, 1, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]),
  ]);
