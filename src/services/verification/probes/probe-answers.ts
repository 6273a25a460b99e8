/** What the answer of an agent to a probe means. */
import type { Egress } from '../../../egress/agent-call';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { ProbeAnswer } from '../../../verification/probes/conformance-probe';
import type { LiveDeps } from '../../../verification/probes/live-testing';
import { reached } from '../../../verification/probes/reachability-probe';
import { REFUSED } from '../../../verification/tools/tool-calls';
import type { AgentAnswer } from '../../calls/agent/agent-answer';
import {
  type CardReading,
  createAgentCardReader,
  isOfTheMoment,
} from '../../catalogue/cards/agent-card-reader';

export const NO_ANSWER = Buffer.from('null');

/**
 * Before the first call of an A2A agent, its card is compared with the one that was registered. If it differs, all
 * calls of the stage fail.
 */
export function withCardCheck(
  { egress }: { egress: Pick<Egress, 'open'> },
  { card, endpointUrl }: ServingVersion,
  callAgent: LiveDeps['call'],
  signal: AbortSignal,
): LiveDeps['call'] {
  if (card === null) return callAgent;
  let reading: Promise<CardReading> | undefined;
  return async (input, options) => {
    reading ??= createAgentCardReader({ egress }).read(endpointUrl, signal);
    const now = await reading;
    if (now.ok && now.card.sha256 === card.sha256) return callAgent(input, options);
    return { ok: false, code: isOfTheMoment(now) ? 'agent_unreachable' : 'card_changed', durationMs: 0 };
  };
}

/** A self-hosted agent without an output schema may answer anything. */
export function answerOf(version: ServingVersion, answer: AgentAnswer): ProbeAnswer & { streamed?: boolean } {
  const { durationMs, status } = answer;
  if (version.kind === 'mcp') return toolAnswerOf(answer);
  if (!answer.ok && answer.isAsking) return { ok: false, code: 'asked_question', durationMs, status };
  if (version.kind === 'http' && version.outputSchema === null) {
    const reply = reached(answer);
    return reply.ok ? { ...reply, json: answer.ok ? answer.json : NO_ANSWER, unchecked: true } : reply;
  }
  if (!answer.ok) return { ok: false, code: answer.code, durationMs, status, cause: answer.cause };
  return { ok: true, json: answer.json, durationMs, streamed: answer.delivered };
}

/**
 * A tool that reports its own failure, or whose server does not accept its arguments, has refused its input. So has one
 * that needs of its client what a probe does not have: `words` say what.
 */
function toolAnswerOf(answer: AgentAnswer): ProbeAnswer & { streamed?: boolean } {
  const { durationMs } = answer;
  if (!answer.ok) {
    const { code, agentMessage: words, isInputRefused, cause, status } = answer;
    const isRefusal = code === 'agent_error' && (isInputRefused === true || words !== undefined);
    return { ok: false, code, durationMs, status: isRefusal ? REFUSED : status, cause, words };
  }
  if (answer.isToolError)
    return { ok: false, code: 'agent_error', durationMs, status: REFUSED, words: TOOL_FAILED };
  return { ok: true, json: answer.json, durationMs, streamed: answer.delivered };
}

const TOOL_FAILED = 'the tool answered with isError';
