import { quoteAgent } from '../../contract/quotes';
import type { InputCheck } from '../../services/calls/agent/input-check';
import type { Quotes } from '../../services/quotes/quotes';
import type { RouteBinder } from '../binding/route';
import { prepareQuote } from '../bodies/prepares';
import { inputProblemsOf } from '../requests/call-gates';

export interface QuoteRouteDeps {
  inputCheck: InputCheck;
  quotes: Pick<Quotes, 'offer'>;
}

/** POST /v1/agents/{agent_id}/quote. */
export function quoteRoutes(binder: RouteBinder, { inputCheck, quotes }: QuoteRouteDeps): void {
  const first = { prepare: prepareQuote, inputProblems: inputProblemsOf(inputCheck) };
  binder.bindPrepared(quoteAgent, first, ({ params, body, principal }) =>
    quotes.offer(principal.userId, params.agent_id, body.input),
  );
}
