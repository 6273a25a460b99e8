/** The tools about calls that were made, and about the credits of the account. */
import { isFinal } from '../../../domain/calls/invocation-state';
import type { ApiScope } from '../../../domain/accounts/api-key';
import { MarketError } from '../../../domain/errors';
import { unitsToCredits } from '../../../domain/ledger/money';
import type { DisputeCases } from '../../../engine/disputes';
import type { TaskEngine } from '../../../engine/tasks';
import type { ApiKeys } from '../../../services/accounts/api-keys';
import type { LedgerService } from '../../../services/ledger/ledger';
import type { Principal } from '../../identity/principal';
import type { QuestionDeps } from '../tasks/questions';
import { formResult, type HeldFormDeps } from '../tasks/held-forms';
import { answeredCall, resumedCall, waitedCall } from '../tasks/waited-call';
import { readCallOf, type TaskFollowDeps } from '../tasks/follow';
import type { McpExchange } from '../wire/mcp-request';
import { answerRunning, type CallAgentDeps } from './call-agent';
import { readPieces } from './call-state';
import { structured } from './tool-result';
import type { ArgumentsOf } from './tool-schemas';

export interface AccountToolDeps extends TaskFollowDeps, QuestionDeps, HeldFormDeps {
  taskEngine: Pick<TaskEngine, 'stop'>;
  disputeCases: Pick<DisputeCases, 'open'>;
  ledger: Pick<LedgerService, 'walletBalance'>;
  apiKeys: Pick<ApiKeys, 'limitsOf'>;
}

const DEFAULT_WAIT_SECONDS = 25;

const scopeOf = ({ principal }: McpExchange) => ({ buyerUserId: principal.userId, agentId: undefined });

export async function getCall(
  deps: AccountToolDeps,
  request: McpExchange,
  { invocation_id, wait_seconds = DEFAULT_WAIT_SECONDS }: ArgumentsOf<'get_call'>,
): Promise<void> {
  const call = await readCallOf(deps, scopeOf(request), invocation_id);
  const wait = { first: call, waitMs: wait_seconds * 1_000 };
  const read = await waitedCall(deps, request, scopeOf(request), wait);
  request.reply.result(request.id, await readPieces(request, read, { withReceipt: true }));
}

/** How long a modern client waits again for a call whose question it has answered by a form. */
const RESUMED_MS = 25_000;

/** Answers what the agent of a call has asked, and waits for the call again. */
export async function resumeCall(deps: AccountToolDeps & CallAgentDeps, request: McpExchange): Promise<void> {
  const scope = scopeOf(request);
  const first = await answeredCall(deps, request, scope, 'this account');
  const { call, form } = await resumedCall(deps, request, scope, { first, waitMs: RESUMED_MS });
  if (form) return request.reply.result(request.id, formResult(request, call.invocationId, form));
  if (!isFinal(call.status)) return answerRunning(deps, request, call.invocationId);
  request.reply.result(request.id, await readPieces(request, call));
}

export async function answerQuestion(
  deps: AccountToolDeps,
  request: McpExchange,
  { invocation_id, question_id: questionId, answer }: ArgumentsOf<'answer_question'>,
): Promise<void> {
  const { userId } = request.principal;
  await deps.jobEngine.answer(userId, invocation_id, { questionId, input: answer });
  const call = await readCallOf(deps, scopeOf(request), invocation_id);
  request.reply.result(request.id, await readPieces(request, call));
}

export async function cancelCall(
  deps: AccountToolDeps,
  request: McpExchange,
  { invocation_id }: ArgumentsOf<'cancel_call'>,
): Promise<void> {
  const { userId } = request.principal;
  if (await deps.callWaits.cancel(userId, invocation_id)) await deps.taskEngine.stop(invocation_id);
  const call = await readCallOf(deps, scopeOf(request), invocation_id);
  request.reply.result(request.id, await readPieces(request, call));
}

export async function openDispute(
  deps: AccountToolDeps,
  request: McpExchange,
  { invocation_id: invocationId, reason, description }: ArgumentsOf<'open_dispute'>,
): Promise<void> {
  const { principal, traceId, id, reply } = request;
  requireScope(principal, 'disputes:write');
  const dispute = await deps.disputeCases.open({
    buyerUserId: principal.userId,
    invocationId,
    reason,
    description,
    traceId,
    asOf: new Date(),
  });
  const result = structured<'open_dispute'>(request, {
    dispute_id: dispute.disputeId,
    invocation_id: invocationId,
    status: dispute.status,
    credits_refunded: unitsToCredits(dispute.refundedUnits),
    respond_by: dispute.respondBy?.toISOString() ?? null,
  });
  reply.result(id, result);
}

/** A key without the scope `billing:read` learns what is left of its own limit, and nothing of the wallet. */
export async function getBalance(deps: AccountToolDeps, request: McpExchange): Promise<void> {
  const { principal, id, reply } = request;
  const { key, userId } = principal;
  const mayRead = key === null || key.scopes.includes('billing:read');
  const [balance, limits] = await Promise.all([
    mayRead ? deps.ledger.walletBalance(userId) : undefined,
    key ? deps.apiKeys.limitsOf(userId, key.keyId) : undefined,
  ]);
  const { creditCapUnits: capUnits = null, usedUnits = 0, callCapUnits = null } = limits ?? {};
  const left = capUnits === null ? undefined : capUnits - usedUnits;
  const amounts = [balance?.availableUnits, left].filter((units) => units !== undefined);
  const result = structured<'get_balance'>(request, {
    spendable_credits: amounts.length === 0 ? null : unitsToCredits(Math.max(0, Math.min(...amounts))),
    wallet_credits: balance ? unitsToCredits(balance.availableUnits) : null,
    escrow_credits: balance ? unitsToCredits(balance.escrowUnits) : null,
    limit:
      limits && capUnits !== null
        ? {
            credits: unitsToCredits(capUnits),
            spent_credits: unitsToCredits(usedUnits),
            window: limits.capWindow,
          }
        : null,
    max_credits_per_call: callCapUnits === null ? null : unitsToCredits(callCapUnits),
    min_trust_score: limits?.leastTrust ?? null,
    agents: limits?.onlyAgents ? [...limits.onlyAgents] : null,
  });
  reply.result(id, result);
}

function requireScope({ key }: Principal, scope: ApiScope): void {
  if (!key || key.scopes.includes(scope)) return;
  throw new MarketError('insufficient_scope', {
    message: `This connection lacks the scope ${scope}, which this tool needs.`,
  });
}
