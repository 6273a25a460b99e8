import {
  contestFinding,
  getContest,
  listAgentFindings,
  listContests,
  listWaivers,
  resolveContest,
  revokeWaiver,
  waiveFinding,
} from '../../contract/contests';
import type { VerificationTrigger } from '../../engine/verification';
import type { Contests } from '../../services/verification/contests';
import type { Waivers } from '../../services/verification/waivers';
import { Answer } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { idPosition, listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import { contestView, operatorContestView, waiverView } from '../views/contests';
import { findingView } from '../views/trust';

export interface ContestRouteDeps {
  contests: Contests;
  waivers: Waivers;
  verificationTrigger: VerificationTrigger;
}

const FINDING_POSITION = idPosition('fnd');
const CONTEST_POSITION = idPosition('fct');
const WAIVER_POSITION = idPosition('fwv');

/** Contests of findings by owners, and the decisions and waivers of operators. */
export function contestRoutes(binder: RouteBinder, deps: ContestRouteDeps): void {
  const { contests } = deps;
  binder.bind(contestFinding, async ({ params, body, principal }) => {
    const { agent_id: agentId, finding_id: findingId } = params;
    const made = await contests.open(principal.userId, agentId, findingId, body.statement);
    return new Answer(contestView(made), { status: 201 });
  });

  binder.bind(listContests, ({ query }) => {
    const { status = 'open' } = query;
    return listPage(
      { list: ['contests', status], position: CONTEST_POSITION, query },
      ([beforeId], limit) => contests.list({ status, beforeId, limit }),
      { position: ({ contestId }) => [contestId], view: operatorContestView },
    );
  });

  binder.bind(getContest, async ({ params }) => operatorContestView(await contests.get(params.contest_id)));

  binder.bind(resolveContest, async (input) => {
    const { decision: status, waiver_days: days } = input.body;
    const decision = { status, days };
    const decided = await contests.decide(input.params.contest_id, decision, operatorRequestOf(input));
    if (status === 'accepted') await verifyAgain(deps, decided.agentId);
    return operatorContestView(decided);
  });

  waiverRoutes(binder, deps);
}

function waiverRoutes(binder: RouteBinder, deps: ContestRouteDeps): void {
  const { waivers } = deps;
  binder.bind(listAgentFindings, ({ params: { agent_id: agentId }, query }) =>
    listPage(
      { list: ['agent-findings', agentId, query.status], position: FINDING_POSITION, query },
      ([beforeId], limit) => waivers.findings(agentId, { status: query.status, limit, beforeId }),
      { position: ({ findingId }) => [findingId], view: findingView },
    ),
  );

  binder.bind(waiveFinding, async (input) => {
    const { agent_id: agentId, finding_id: findingId } = input.params;
    const request = operatorRequestOf(input);
    const granted = await waivers.waive(agentId, findingId, input.body.waiver_days, request);
    await verifyAgain(deps, agentId);
    return new Answer(waiverView(granted), { status: 201 });
  });

  binder.bind(listWaivers, ({ query }) => {
    const { agent_id: agentId } = query;
    const holding = query.holding === undefined ? undefined : query.holding === 'true';
    return listPage(
      { list: ['waivers', agentId, query.holding], position: WAIVER_POSITION, query },
      ([beforeId], limit) => waivers.list({ agentId, holding, beforeId, limit }),
      { position: ({ waiverId }) => [waiverId], view: waiverView },
    );
  });

  binder.bind(revokeWaiver, async (input) => {
    const ended = await waivers.revoke(input.params.waiver_id, operatorRequestOf(input));
    await verifyAgain(deps, ended.agentId);
    return waiverView(ended);
  });
}

/** Requests the run that a decision calls for. If the engine does not confirm it, a worker requests it later. */
async function verifyAgain(
  { waivers, verificationTrigger }: ContestRouteDeps,
  agentId: string,
): Promise<void> {
  for (const agent of await waivers.listUnasked(agentId))
    if (await verificationTrigger.ask({ ...agent, reason: 'operator' }))
      await waivers.markAsked(agent.agentId);
}
