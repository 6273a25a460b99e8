import { networkError, request } from './http';

/** Reads the `data:` values of a stream of server-sent events as JSON. Throws `ApiError` when the stream is cut. */
export async function* events<T>(
  address: string,
  body: unknown,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): AsyncGenerator<T> {
  const response = await request(body === undefined ? 'get' : 'post', address, { body, signal, headers });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw signal.aborted ? error : networkError();
    });
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const data = part
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n');
      if (data) yield JSON.parse(data) as T;
    }
  }
}
