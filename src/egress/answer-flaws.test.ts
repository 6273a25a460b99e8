import { errors } from 'undici';
import { exchangeFailure } from './egress-error';

const parser = (words: string) =>
  new errors.HTTPParserError(`Response does not match the HTTP/1.1 protocol (${words})`);

it.each([
  ['content_length', new errors.ResponseContentLengthMismatchError()],
  ['content_length', parser('Invalid character in Content-Length')],
  ['header_form', parser('Invalid header token')],
  ['not_http', parser('Expected HTTP/, RTSP/ or ICE/')],
  ['headers_size', new errors.HeadersOverflowError()],
  [undefined, new Error('anything else')],
])('names %s in the head of an answer for the owner of the agent', (flaw, cause) => {
  expect(exchangeFailure(cause, true)).toMatchObject({ kind: 'bad_response', flaw });
});
