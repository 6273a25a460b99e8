import { chat, chatWithAgent } from '../../contract/chat';
import type { BodyOf } from '../../contract/operation';
import type { CallGate } from '../../services/calls/call-gate';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { prepareChat } from '../bodies/prepares';
import { eventTurn } from '../chat/event-turn';
import { problemsOfTurn, runTurn, type TurnDeps } from '../chat/turn';
import { agentGate } from '../requests/call-gates';

export interface ChatRouteDeps extends TurnDeps {
  callGate: CallGate;
}

/** POST /v1/agents/{agent_id}/chat and POST /chat/. */
export function chatRoutes(binder: RouteBinder, deps: ChatRouteDeps): void {
  const inputProblems = problemsOfTurn(deps.inputCheck);
  const first = {
    prepare: prepareChat<BodyOf<typeof chatWithAgent>>,
    gate: agentGate(deps.callGate),
    inputProblems,
  };
  binder.bindPrepared(chatWithAgent, first, async ({ params, ...turn }) => {
    const { principal, traceId, res } = turn;
    await runTurn(deps, { ...turn, principal, agentId: params.agent_id }, eventTurn(res, traceId));
    return HANDLED;
  });
  binder.bindPrepared(
    chat,
    { prepare: prepareChat<BodyOf<typeof chat>>, inputProblems },
    async ({ body, ...turn }) => {
      const { principal, traceId, res } = turn;
      await runTurn(deps, { ...turn, principal, body, agentId: body.agent_id }, eventTurn(res, traceId));
      return HANDLED;
    },
  );
}
