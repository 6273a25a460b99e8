import { addFavourite, listFavourites, removeFavourite } from '../../contract/favourites';
import type { Favourites } from '../../services/catalogue/search/favourites';
import { listPage } from '../requests/list-page';
import { favouriteView } from '../views/listings';
import type { RouteBinder } from '../binding/route';

export interface FavouriteRouteDeps {
  favourites: Favourites;
}

const FAVOURITE_POSITION = [/^[0-9]{1,18}$/, /^agt_[a-z0-9_]{1,90}$/];

/** /v1/favourites: the agents that an account has marked. */
export function favouriteRoutes(binder: RouteBinder, { favourites }: FavouriteRouteDeps): void {
  binder.bind(listFavourites, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['favourites', userId], position: FAVOURITE_POSITION, query },
      (after, limit) => favourites.list({ userId, after, limit }),
      { position: ({ addedMicros, agentId }) => [addedMicros, agentId], view: favouriteView },
    ),
  );
  binder.bind(addFavourite, async ({ params, principal: { userId } }) => {
    await favourites.add(userId, params.agent_id);
    return undefined;
  });
  binder.bind(removeFavourite, async ({ params, principal: { userId } }) => {
    await favourites.remove(userId, params.agent_id);
    return undefined;
  });
}
