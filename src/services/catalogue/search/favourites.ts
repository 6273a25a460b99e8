import { MarketError } from '../../../domain/errors';
import { readListing } from '../../../stores/catalogue/listings';
import {
  countOtherFavouritesForUpdate,
  deleteFavourite,
  type FavouriteRow,
  insertFavourite,
  listFavourites,
} from '../../../stores/catalogue/search/favourites';
import { type DbPool, withTransaction } from '../../../stores/db';
import { refusalOfHidden } from '../hidden-agents';

/** An agent that an account has marked, with its listing while it can be called. */
export type Favourite = FavouriteRow;

const MOST_FAVOURITES = 100;

/** The agents that accounts have marked, to find them again (ADR 0255). */
export function createFavourites({ pool }: { pool: DbPool }) {
  return {
    /** Lists the favourites of an account, newest first. */
    list: (page: { userId: string; after: readonly string[]; limit: number }) => listFavourites(pool, page),

    /**
     * Marks an agent. Throws `not_found` for an agent that cannot be called, `invalid_state` for an account with too
     * many favourites.
     */
    async add(userId: string, agentId: string): Promise<void> {
      if (!(await readListing(pool, agentId, userId))) throw await refusalOfHidden(pool, { agentId }, userId);
      await withTransaction(pool, async (tx) => {
        if ((await countOtherFavouritesForUpdate(tx, userId, agentId)) >= MOST_FAVOURITES)
          throw new MarketError('invalid_state', {
            message: `An account has at most ${MOST_FAVOURITES} favourites. Remove one first.`,
          });
        await insertFavourite(tx, userId, agentId);
      });
    },

    /** Removes the mark, if there is one. */
    remove: (userId: string, agentId: string) => deleteFavourite(pool, userId, agentId),
  };
}

export type Favourites = ReturnType<typeof createFavourites>;
