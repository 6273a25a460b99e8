/**
 * Documents that name listed agents and are the same for every reader. They are kept for a while, so that a crowd of
 * crawlers costs one read for each document. A document that names an agent which search does not list any more is
 * written anew: each request reads the changes of listings since the last one, by their ids (ADR 0365).
 */
import { BoundedMap } from '../../kit/bounded-map';
import { sha256Hex } from '../../kit/json/canonical-json';
import { listMovesAfter, readLastChangeId } from '../../stores/catalogue/listing-changes';
import type { Db } from '../../stores/db';
import { type ChangePosition, LOOK_BACK, positionAt } from '../../domain/catalogue/change-position';

export interface ListedDocument {
  text: string;
  /** Changes with the text. Weak, because the text may be compressed. */
  etag: string;
}

interface Kept {
  document: Promise<ListedDocument>;
  /** Undefined while the document is written. */
  text?: string;
  until: number;
}

/** Changes that are read for one request. After more of them, all documents are written anew. */
const MOST_CHANGES = 200;

interface Deps {
  reads: Db;
  forMs: number;
  most: number;
  now?: () => number;
}

/** Keeps at most `most` documents for `forMs`. A failure is not kept. */
export function createListedDocuments({ reads, forMs, most, now = Date.now }: Deps) {
  const kept = new BoundedMap<string, Kept>(most);
  let position: Promise<ChangePosition> | undefined;

  /** Where changes are read from. It is known before the first document is written. */
  function begin(): Promise<ChangePosition> {
    position ??= readLastChangeId(reads).then(
      (last) => positionAt(Math.max(0, last - LOOK_BACK)),
      (error: unknown) => {
        position = undefined;
        throw error;
      },
    );
    return position;
  }

  /** Forgets the documents that name an agent which has left search, and those that are written now. */
  async function forgetOld(): Promise<void> {
    const at = await begin();
    const moves = await listMovesAfter(reads, at.from(), MOST_CHANGES);
    if (moves.length === MOST_CHANGES) {
      position = undefined;
      await begin();
      return kept.clear();
    }
    const gone = moves.filter(({ changeId, listed }) => at.pass(changeId) && !listed);
    if (gone.length === 0) return;
    for (const [name, { text }] of kept)
      if (text === undefined || gone.some(({ agentId }) => text.includes(agentId))) kept.delete(name);
  }

  return {
    /** The document of a name, which `write` makes when it is not kept. Throws what `write` throws. */
    async get(name: string, write: () => Promise<string>): Promise<ListedDocument> {
      await forgetOld();
      const known = kept.get(name);
      if (known && known.until > now()) return known.document;
      const entry: Kept = {
        until: now() + forMs,
        document: write().then((text) => {
          entry.text = text;
          return { text, etag: `W/"${sha256Hex(text).slice(0, 32)}"` };
        }),
      };
      kept.set(name, entry);
      entry.document.catch(() => {
        if (kept.get(name) === entry) kept.delete(name);
      });
      return entry.document;
    },
  };
}
