/**
 * Sends a request to an address that the user of the command line gives for a receiver on this machine. The user chose
 * the address, so this file may call `fetch` outside of egress (eslint.config.mjs lists it). Redirects are not
 * followed.
 */
const TIMEOUT_MS = 15_000;

export type Forwarded = { status: number; durationMs: number } | { error: string; durationMs: number };

/** Posts JSON. Resolves also without an answer: `error` is then a short reason. */
export async function forwardTo(
  url: string,
  headers: Record<string, string>,
  body: Buffer<ArrayBuffer>,
): Promise<Forwarded> {
  const begunAt = performance.now();
  const took = () => ({ durationMs: Math.round(performance.now() - begunAt) });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, ...took() };
  } catch (error) {
    const { name, cause, message } = error as Error & { cause?: { code?: string } };
    return { error: name === 'TimeoutError' ? 'timeout' : (cause?.code ?? message), ...took() };
  }
}
