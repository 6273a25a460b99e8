import { createChatCompletion, getModel, listModels, unsupportedProblems } from '../../contract/completions';
import type { BodyOf } from '../../contract/operation';
import { MarketError } from '../../domain/errors';
import type { Listings } from '../../services/catalogue/listings';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { prepareChat } from '../bodies/prepares';
import { answerAsCompletion } from '../chat/completion-errors';
import { completionDocument, completionStream } from '../chat/completion-turn';
import { problemsOfTurn, runTurn, type TurnDeps } from '../chat/turn';
import { listPage } from '../requests/list-page';
import { LISTING_POSITION, modelView } from '../views/listings';

export interface CompletionRouteDeps extends TurnDeps {
  listings: Listings;
  servingVersions: Pick<ServingVersions, 'ofAgent' | 'ofOwner'>;
}

/** POST /v1/chat/completions, GET /v1/models and GET /v1/models/{model}. */
export function completionRoutes(binder: RouteBinder, deps: CompletionRouteDeps): void {
  const { listings } = deps;
  for (const path of ['/v1/chat/completions', '/v1/models']) binder.router.use(path, answerAsCompletion);
  const first = {
    prepare: prepareChat<BodyOf<typeof createChatCompletion>>,
    inputProblems: problemsOfTurn(deps.inputCheck),
  };
  binder.bindPrepared(createChatCompletion, first, async ({ body, ...turn }) => {
    const { principal, traceId, res } = turn;
    const { model, stream, stream_options: options } = body;
    const detail = unsupportedProblems(body);
    if (detail.length > 0) throw new MarketError('validation_failed', { detail });
    const agentId = await agentOf(deps, model, principal.userId);
    const form =
      stream === true
        ? completionStream({ res, traceId, model, hasUsage: options?.include_usage === true })
        : completionDocument({ res, traceId, model });
    await runTurn(deps, { ...turn, principal, body, agentId }, form);
    return HANDLED;
  });
  binder.bind(listModels, async ({ query }) => {
    const search = { chat: true, sort: 'relevance' as const };
    const { items, next_cursor } = await listPage(
      { list: ['models'], position: LISTING_POSITION, query },
      (after, limit) => listings.search(search, { limit, after }),
      { position: ({ sortKey, agentId }) => [sortKey, agentId], view: modelView },
    );
    return { object: 'list' as const, data: items, next_cursor };
  });
  binder.bind(getModel, async ({ params, principal }) => {
    const agentId = await agentOf(deps, params.model, principal.userId);
    return modelView(await listings.get(agentId, principal.userId));
  });
}

/** The agent that a client names as its model: by its id, or as `owner/slug`. Throws `not_found`. */
async function agentOf(
  { servingVersions }: CompletionRouteDeps,
  model: string,
  userId: string,
): Promise<string> {
  if (model.startsWith('agt_')) return model;
  const [owner = '', slug, ...more] = model.split('/');
  if (slug === undefined || more.length > 0) {
    throw new MarketError('not_found', {
      message: 'model takes the id of an agent, or owner/slug. GET /v1/models lists agents that chat.',
    });
  }
  return (await servingVersions.ofOwner(owner, slug, userId)).agentId;
}
