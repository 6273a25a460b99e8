import type { Egress, EgressRequest } from './agent-call';

/** Returns the headers that sign a request. */
export type RequestSigner = (method: string, url: string) => Promise<Record<string, string>>;

/**
 * The client for requests to agents: every request is signed (ADR 0352). A developer's credential in one of the headers
 * of the signature goes first, and its requests are not signed.
 */
export function signedEgress(egress: Egress, headersFor: RequestSigner): Egress {
  async function signed<R extends EgressRequest>(request: R): Promise<R> {
    const { url, headers, method = 'POST' } = request;
    if (!egress.checkUrl(url).ok) return request;
    if (Object.keys(headers).some((name) => SIGNATURE_HEADERS.has(name.toLowerCase()))) return request;
    return { ...request, headers: { ...headers, ...(await headersFor(method, url)) } };
  }
  return {
    ...egress,
    open: async (request) => egress.open(await signed(request)),
    notify: async (request) => egress.notify(await signed(request)),
    post: async (request) => egress.post(await signed(request)),
  };
}

const SIGNATURE_HEADERS: ReadonlySet<string> = new Set(['signature', 'signature-input', 'signature-agent']);
