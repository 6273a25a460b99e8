import type { Embedder } from '../../../egress/embeddings';
import type { Logger } from '../../../logger';
import {
  claimDueTexts,
  type DueText,
  putVector,
  renewOtherModels,
} from '../../../stores/catalogue/search/agent-vectors';
import type { DbPool } from '../../../stores/db';

/** Texts of one request. */
const BATCH = 32;
const TIMEOUT_MS = 30_000;

export interface AgentVectorsDeps {
  pool: DbPool;
  embedder: Embedder;
  logger: Logger;
}

/**
 * Embeds the texts of agents that have changed, in the background. A request that fails is made again after some
 * minutes; searches do without the vectors until then.
 */
export function createAgentVectors({ pool, embedder, logger }: AgentVectorsDeps) {
  let isRenewed = false;

  /** Embeds one batch. Returns how many agents got a vector. */
  async function refresh(): Promise<number> {
    if (!isRenewed) await renewOtherModels(pool, embedder.model);
    isRenewed = true;
    const due = await claimDueTexts(pool, BATCH);
    if (due.length === 0) return 0;
    if (await embedded(due)) return due.length;
    // A text that the endpoint refuses must not hold up the others. If the first one fails too, the endpoint is down.
    let stored = 0;
    for (const claimed of due.length > 1 ? due : []) {
      if (await embedded([claimed])) stored += 1;
      else if (stored === 0) break;
    }
    return stored;
  }

  async function embedded(due: readonly DueText[]): Promise<boolean> {
    try {
      const vectors = await embedder.embed(
        due.map(({ text }) => text),
        TIMEOUT_MS,
      );
      for (const [at, claimed] of due.entries()) {
        const vector = vectors[at];
        if (vector) await putVector(pool, claimed, { model: embedder.model, vector });
      }
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'texts of agents were not embedded');
      return false;
    }
  }

  return { refresh };
}
