/** Asks MCP servers for their lists of tools: for the first one of a version, and whether it has changed since. */
import { MarketError } from '../../../domain/errors';
import { flawReason } from '../../../domain/catalogue/tools/tool-flaws';
import { servedTools } from '../../../domain/catalogue/tools/tool-list';
import { BoundedMap } from '../../../kit/bounded-map';
import { newId, newTraceId } from '../../../kit/ids/ids';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import { toolFlaws } from '../../../verification/tools/tool-scan';
import { isUnusableSecret } from '../../catalogue/upstream-credentials';
import { toolsDigest } from './tool-digest';
import type { ToolNotary } from './tool-notary';

/** Lists the tools of an agent's own MCP server. */
export interface UpstreamTools {
  listTools(
    question: { invocationId: string; version: ServingVersion; traceId: string; hops: number },
    limits: { signal: AbortSignal; timeoutMs: number },
  ): Promise<readonly Record<string, unknown>[]>;
}

export interface LookDeps {
  agents: UpstreamTools;
  notary: Pick<ToolNotary, 'pinned' | 'forget' | 'takeOver' | 'note'>;
  nowMs?: () => number;
}

/** Timeout for listing a server's tools. */
const LIST_MS = 10_000;
const MAX_REMEMBERED = 2_000;

function listUpstream(
  agents: UpstreamTools,
  version: ServingVersion,
  hops: number,
): Promise<readonly Record<string, unknown>[]> {
  const question = { invocationId: newId('lst'), version, traceId: newTraceId(), hops };
  const timeoutMs = Math.min(version.timeoutMs, LIST_MS);
  const listing = agents.listTools(question, { signal: new AbortController().signal, timeoutMs });
  return listing.catch((cause: unknown) => {
    throw isUnusableSecret(cause) ? new MarketError('agent_unreachable', { cause }) : cause;
  });
}

/** The first list of a version becomes the one that is served, unless it is plainly dangerous. */
export async function firstList(
  { agents, notary }: LookDeps,
  version: ServingVersion,
  hops: number,
): Promise<void> {
  const listed = await listUpstream(agents, version, hops);
  const reason = flawReason(toolFlaws(listed));
  if (reason !== undefined) throw new MarketError('agent_error', { agentMessage: reason });
  await notary.takeOver(version, listed);
}

/** Asks servers whether their lists have changed, beside the requests of buyers. A server that fails is asked later. */
export function createLooks({ agents, notary, nowMs = Date.now }: LookDeps) {
  const last = new BoundedMap<string, { at: number; seen?: string }>(MAX_REMEMBERED);

  async function compare(version: ServingVersion, hops: number): Promise<void> {
    const listed = await listUpstream(agents, version, hops);
    const seen = toolsDigest(servedTools(listed));
    const known = last.get(version.versionId);
    const pinned = await notary.pinned(version.versionId);
    const isVerified = typeof pinned === 'object' && pinned.digest === seen && pinned.gone.size === 0;
    if (known?.seen === seen && (isVerified || typeof pinned === 'string')) return;
    await notary.note(version, listed);
    notary.forget(version.versionId);
    if (known) known.seen = seen;
  }

  return {
    /** The server has just been asked. */
    begin: (versionId: string) => last.set(versionId, { at: nowMs() }),

    /** Asks the server, if the last time was `restMs` ago. Returns at once. */
    look(version: ServingVersion, hops: number, restMs: number): void {
      const known = last.use(version.versionId);
      if (known && nowMs() - known.at < restMs) return;
      last.set(version.versionId, { ...known, at: nowMs() });
      compare(version, hops).catch(() => undefined);
    },
  };
}
