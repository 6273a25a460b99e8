import type { Config } from '../../../config';
import { createEmbedder } from '../../../egress/embeddings';
import type { Logger } from '../../../logger';
import type { Db, DbPool } from '../../../stores/db';
import { createListings } from '../listings';
import { createAccessRequests } from '../visibility/access-requests';
import { createAgentVisibility } from '../visibility/visibility';
import { createAgentVectors } from './agent-vectors';
import { createFavourites } from './favourites';
import { createQueryVectors } from './query-vectors';

interface Deps {
  pool: DbPool;
  reads: Db;
  config: Pick<Config, 'PUBLIC_ORIGIN' | 'EMBEDDINGS_URL' | 'EMBEDDINGS_MODEL' | 'EMBEDDINGS_KEY'>;
  logger: Logger;
}

/**
 * Listings, the agents that accounts have marked, and what embeds the texts of agents if the operator has an endpoint
 * for it (ADR 0269).
 */
export function createListingParts({ pool, reads, config, logger }: Deps) {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, EMBEDDINGS_KEY: key } = config;
  const embedder = url === '' ? undefined : createEmbedder({ url, model, key });
  return {
    listings: createListings({ pool, reads, meaning: embedder && createQueryVectors(embedder) }),
    agentVisibility: createAgentVisibility({ pool }),
    accessRequests: createAccessRequests({ pool, origin: new URL(config.PUBLIC_ORIGIN).origin }),
    favourites: createFavourites({ pool }),
    agentVectors: embedder && createAgentVectors({ pool, embedder, logger }),
  };
}
