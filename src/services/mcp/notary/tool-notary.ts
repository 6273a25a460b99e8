/**
 * The tools of MCP agents that buyers are served (ADR 0404): the list of a version that a verification run has seen and
 * passed. What the server lists later is stored as a candidate, and waits for a run of its own.
 */
import { MarketError } from '../../../domain/errors';
import { isStorable } from '../../../domain/json-value';
import { toolWords } from '../../../domain/catalogue/search/tool-words';
import { toolChanges } from '../../../domain/catalogue/tools/tool-changes';
import { servedTools, type Tool } from '../../../domain/catalogue/tools/tool-list';
import { BoundedMap } from '../../../kit/bounded-map';
import { newId } from '../../../kit/ids/ids';
import { putToolWords } from '../../../stores/catalogue/search/tool-words';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import { type Db, type DbPool, withTransaction } from '../../../stores/db';
import {
  deleteCandidates,
  deleteWaiting,
  insertOfRun,
  insertTakenOver,
  isJudged,
  listDueWatches,
  lockVerified,
  markWatchAsked,
  type NewToolList,
  putWaiting,
  putWatch,
  readServedTools,
  readTools,
  readToolState,
  type ToolStateRow,
} from '../../../stores/verification/tool-lists';
import { announceChange } from './tool-events';
import { toolsDigest } from './tool-digest';

type OfVersion = Pick<ServingVersion, 'agentId' | 'versionId' | 'developerUserId'>;

/** The verified list of a version, as this process last read it. */
export interface PinnedList {
  listId: string;
  /** In hexadecimal. */
  digest: string;
  /** JSON text of the array of tools. */
  json: Buffer;
  names: ReadonlySet<string>;
  /** Tools that the server no longer lists. */
  gone: ReadonlySet<string>;
}

/** `none`: no list was ever stored. `refused`: none is verified, and one was refused. */
export type Pinned = PinnedList | 'none' | 'refused';

/** How long a verified list is served without a look into the database. */
const FRESH_MS = 2_000;
/** The lists in memory, and their total size. */
const MAX_KEPT = 2_000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** A verification of changed tools is asked for once in this time; a list that waits is replaced once in the other. */
const ASK_REST_MS = 60 * 60_000;
const WAIT_REST_MS = 10 * 60_000;
const WATCH = { restMs: ASK_REST_MS };
/** Longer names of vanished tools are not noted: calls of them fail at the server. */
const MOST_NAME = 256;
const MOST_DUE = 100;

interface Entry {
  at: number;
  pinned: Promise<Pinned>;
  /** What was read before. */
  last: Pinned | undefined;
}

export function createToolNotary({ pool, nowMs = Date.now }: { pool: DbPool; nowMs?: () => number }) {
  const entries = new BoundedMap<string, Entry>(MAX_KEPT);

  function pinnedOf(versionId: string): Promise<Pinned> {
    const entry = entries.use(versionId);
    if (entry && nowMs() - entry.at < FRESH_MS) return entry.pinned;
    const next: Entry = { at: nowMs(), pinned: read(pool, versionId, entry?.last), last: entry?.last };
    entries.set(versionId, next);
    next.pinned.then(
      (pinned) => {
        if (next.last === pinned) return;
        next.last = pinned;
        forgetOldest(entries);
      },
      () => entries.get(versionId) === next && entries.delete(versionId),
    );
    return next.pinned;
  }

  return {
    /** The verified list of a version, at most some seconds old. */
    pinned: pinnedOf,

    /** Reads the list again at its next use. */
    forget(versionId: string): void {
      const entry = entries.get(versionId);
      if (entry) entry.at = -Infinity;
    },

    /**
     * Throws `agent_error` for a tool that the verified list of the version does not have, or that its server no longer
     * lists. A version without a list passes.
     */
    async requireTool(versionId: string, tool: string): Promise<void> {
      const pinned = await pinnedOf(versionId);
      if (pinned === 'none') return;
      const agentMessage = typeof pinned === 'string' ? REFUSED : problemOf(pinned, tool);
      if (agentMessage !== undefined) throw new MarketError('agent_error', { agentMessage });
    },

    /** Serves the first list of a version that serves without one, and asks for its verification. */
    takeOver: (version: OfVersion, listed: readonly Tool[]): Promise<boolean> =>
      withTransaction(pool, async (tx) => {
        const list = newList(version, servedTools(listed), []);
        if (!(await insertTakenOver(tx, list))) return false;
        await putToolWords(tx, version.versionId, toolWords(servedTools(listed)));
        await putWatch(tx, { ...list, gone: [] }, { asks: true, ...WATCH });
        return true;
      }),

    /** Compares what the server of a version that serves lists now with what is verified. */
    note: (version: OfVersion, listed: readonly Tool[]): Promise<void> =>
      withTransaction(pool, (tx) => note(tx, version, servedTools(listed))),

    /** Stores what a run saw, unless that is verified. `concludeTools` decides on it. */
    noteRun: (tx: Db, runId: string, version: OfVersion, listed: readonly Tool[]): Promise<void> =>
      noteRun(tx, runId, version, servedTools(listed)),

    /** Versions whose tools need a verification. */
    listDue: () => listDueWatches(pool, MOST_DUE),
    markAsked: (versionId: string) => markWatchAsked(pool, versionId),
  };
}

export type ToolNotary = ReturnType<typeof createToolNotary>;

/** Reads the state of a version, and its list if that is another one than `last`. */
async function read(pool: DbPool, versionId: string, last: Pinned | undefined): Promise<Pinned> {
  const state = await readToolState(pool, versionId);
  if (state.listId === null) return state.isRefused ? 'refused' : 'none';
  const known = typeof last === 'object' && last.listId === state.listId ? last : undefined;
  if (known && isSame(known.gone, state.gone)) return known;
  const json = known?.json ?? Buffer.from((await readTools(pool, state.listId)) ?? '[]');
  return toPinned(state, json, known?.names);
}

/** The words for a version whose only lists were refused. */
export const REFUSED = 'The tools of this agent were refused by its verification.';

/** Why a tool is not called; undefined if it can be. */
export function problemOf(pinned: Pick<PinnedList, 'names' | 'gone'>, tool: string): string | undefined {
  const name = JSON.stringify(tool.slice(0, 128));
  if (!pinned.names.has(tool)) return `The verified list of this agent has no tool ${name}.`;
  if (pinned.gone.has(tool))
    return `The tool ${name} is not available: the server of the agent no longer lists it.`;
  return undefined;
}

async function note(tx: Db, version: OfVersion, tools: Tool[]): Promise<void> {
  const { agentId, versionId } = version;
  const digest = toolsDigest(tools);
  const verified = await lockVerified(tx, versionId);
  if (!verified) return;
  if (verified.digest === digest) {
    await deleteWaiting(tx, versionId);
    await putWatch(tx, { agentId, versionId, digest, gone: [] }, { asks: verified.isTakenOver, ...WATCH });
    return;
  }
  const before = JSON.parse(verified.tools) as Tool[];
  const watch = { agentId, versionId, digest, gone: goneFrom(before, tools) };
  if (await isJudged(tx, versionId, digest)) return putWatch(tx, watch, { asks: false, ...WATCH });
  const list = newList(version, tools, before);
  const stored = await putWaiting(tx, list, WAIT_REST_MS);
  if (stored === 'resting') return;
  await putWatch(tx, watch, { asks: true, ...WATCH });
  if (stored === 'new') await announceChange(tx, version, { ...list, state: 'candidate' });
}

async function noteRun(tx: Db, runId: string, version: OfVersion, tools: Tool[]): Promise<void> {
  const { agentId, versionId } = version;
  const digest = toolsDigest(tools);
  const verified = await lockVerified(tx, versionId);
  if (verified?.digest === digest) {
    await deleteCandidates(tx, versionId);
    await putWatch(tx, { agentId, versionId, digest, gone: [] }, { asks: false, ...WATCH });
    return;
  }
  const served = verified?.tools ?? (await readServedTools(tx, agentId)) ?? '[]';
  const before = JSON.parse(served) as Tool[];
  await insertOfRun(tx, newList(version, tools, before), runId);
  const gone = verified ? goneFrom(before, tools) : [];
  await putWatch(tx, { agentId, versionId, digest, gone }, { asks: false, ...WATCH });
}

function newList(
  { agentId, versionId }: OfVersion,
  tools: readonly Tool[],
  before: readonly Tool[],
): NewToolList {
  return {
    listId: newId('tls'),
    agentId,
    versionId,
    digest: toolsDigest(tools),
    tools: JSON.stringify(tools),
    toolCount: tools.length,
    changes: JSON.stringify(toolChanges(before, tools)),
  };
}

const namesOf = (tools: readonly Tool[]) => new Set(tools.map(({ name }) => String(name)));

function goneFrom(before: readonly Tool[], now: readonly Tool[]): string[] {
  const names = namesOf(now);
  return [...namesOf(before)].filter(
    (name) => !names.has(name) && name.length <= MOST_NAME && isStorable(name),
  );
}

function toPinned(
  { listId, digest, gone }: ToolStateRow,
  json: Buffer,
  names: ReadonlySet<string> | undefined,
): PinnedList {
  const known = names ?? namesOf(JSON.parse(json.toString()) as Tool[]);
  return { listId: listId!, digest: digest!, json, names: known, gone: new Set(gone) };
}

function isSame(known: ReadonlySet<string>, gone: readonly string[]): boolean {
  return known.size === gone.length && gone.every((name) => known.has(name));
}

function forgetOldest(entries: Map<string, Entry>): void {
  const sizeOf = ({ last }: Entry) => (typeof last === 'object' ? last.json.length : 100);
  let kept = [...entries.values()].reduce((sum, entry) => sum + sizeOf(entry), 0);
  for (const [versionId, entry] of entries) {
    if (kept <= MAX_KEPT_BYTES) return;
    entries.delete(versionId);
    kept -= sizeOf(entry);
  }
}
