/**
 * Files of an answer that are at the host of their agent (ADR 0364). Buyers never see that host, so the service fetches
 * the files, and the answer has their content. Files at other hosts stay addresses.
 */
import { lineOf } from '../../../domain/calls/failure-facts';
import { MarketError } from '../../../domain/errors';
import type { Egress } from '../../../egress/agent-call';
import { collect } from '../../../egress/answer';
import { EgressError } from '../../../egress/egress-error';
import { MASK } from '../../../kit/masking/masked-output';
import { parsedUrl } from '../../../kit/parsed-url';
import { type LinkedFile, MASKED_HOST } from './linked-file';
import { OF_THE_MOMENT } from './parts';
import type { RemoteLimits, RemoteTarget } from './target';

/** Files of one answer that are fetched. */
const MOST_FILES = 16;
/** Of a name in a sentence. */
const LONGEST_NAME = 100;
const NOTHING = Buffer.alloc(0);

/**
 * Returns the JSON of an answer with the content of its files, within the size of an answer. Throws `agent_error` with
 * a sentence for the buyer if a file cannot be had, and `agent_unreachable` or `EgressError` if it may come later.
 */
export async function withLinkedFiles(
  egress: Egress,
  target: RemoteTarget,
  { json, linked }: { json: Buffer; linked: readonly LinkedFile[] },
  limits: RemoteLimits,
): Promise<Buffer> {
  if (linked.length > MOST_FILES)
    throw refused(
      `has ${linked.length} files at the agent's own address, and at most ${MOST_FILES} are fetched`,
    );
  let leftBytes = limits.maxResponseBytes - json.length;
  let rest = json.toString();
  const pieces: Buffer[] = [];
  for (const file of linked) {
    const { type, content } = await contentOf(egress, target, file, {
      ...limits,
      maxResponseBytes: Math.floor((leftBytes * 3) / 4),
    });
    const [before = '', after = ''] = halves(rest, `"${file.token}"`);
    const whole = {
      ...(file.name !== undefined && { name: file.name }),
      media_type: type,
      content_base64: content.toString('base64'),
    };
    const text = Buffer.from(JSON.stringify(whole));
    leftBytes -= text.length;
    pieces.push(Buffer.from(before), text);
    rest = after;
  }
  return Buffer.concat([...pieces, Buffer.from(rest)]);
}

function halves(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

async function contentOf(
  egress: Egress,
  target: RemoteTarget,
  { name, mediaType, url: masked }: LinkedFile,
  { signal, deadlineMs, maxResponseBytes }: RemoteLimits,
): Promise<{ type: string; content: Buffer }> {
  const shown = name === undefined ? null : lineOf(name, LONGEST_NAME);
  const what = shown === null ? 'a file' : `the file ${shown}`;
  const url = ownAddress(masked, target.at.url);
  if (url === undefined) throw refused(`has ${what} at an address that the marketplace must not show`);
  try {
    const opened = await egress.open({
      url,
      method: 'GET',
      headers: { ...target.headers, ...target.sign(NOTHING, false), accept: '*/*' },
      signal,
      deadlineMs,
      maxResponseBytes: Math.max(1, maxResponseBytes),
      repeatable: true,
    });
    const { status, contentType, body } = target.wrap(opened);
    if (status === 200) return { type: mediaType ?? typeIn(contentType), content: await collect(body) };
    opened.close();
    if (status >= 500 || OF_THE_MOMENT.has(status)) throw new MarketError('agent_unreachable');
    throw refused(`has ${what} at the agent's own address, which answered with status ${status}`);
  } catch (error) {
    if (error instanceof EgressError && error.kind === 'too_large')
      throw refused(`is too large with ${what}, which is at the agent's own address`);
    throw error;
  }
}

/** The address with the host of the agent; undefined if it is not one of its origin, or has another masked part. */
function ownAddress(masked: string, endpointUrl: string): string | undefined {
  const { host, origin } = new URL(endpointUrl);
  const url = parsedUrl(masked.replace(MASKED_HOST, () => `https://${host}`));
  const isOwn = url?.origin === origin && url.username === '' && url.password === '';
  return isOwn && !url.href.includes(MASK) ? url.href : undefined;
}

const typeIn = (contentType: string): string =>
  /^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})\s*(?:;|$)/.exec(contentType)?.[1]?.toLowerCase() ??
  'application/octet-stream';

const refused = (reason: string): MarketError =>
  new MarketError('agent_error', { agentMessage: `The answer ${reason}.` });
