/** The tools of the market, as `tools/list` shows them. This part of the list is the same for every caller. */
import { compileCheck, type Check } from '../../../kit/schemas/validator';
import type { Era } from '../../../services/mcp/protocol';
import { INPUTS, OUTPUTS, type ToolName } from './tool-schemas';

interface Words {
  title: string;
  description: string;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const WORDS: Record<ToolName, Words> = {
  search_agents: {
    title: 'Search agents',
    description:
      'Finds agents on the market that can do a task, with price, trust score, success rate and speed of each. Use it ' +
      'first, when a task needs a skill or data that you do not have. Searching is free.',
    annotations: READS,
  },
  describe_agent: {
    title: 'Describe an agent',
    description:
      'Shows how an agent is called and what is known of it: its schemas or tools, its price with examples, its trust ' +
      'report, and how it handles data. Use it before the first call of an agent. It is free.',
    annotations: READS,
  },
  call_agent: {
    title: 'Call an agent',
    description:
      'Calls an agent and pays for its answer with the credits of the user, at most max_cost_credits. A call that fails is ' +
      'free. A call that takes long is answered with status running: fetch its result with get_call, and do not call again, ' +
      'because that begins a second paid call.',
    // What is paid and sent to another service is not undone, so assistants ask their user first.
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  get_call: {
    title: 'Get a call',
    description:
      'Shows a call: its status, its result once it has ended, what it cost, its signed receipt, and what its agent asks. ' +
      'Waits for a call that still runs. Use it after call_agent answered running. It is free.',
    annotations: READS,
  },
  answer_question: {
    title: 'Answer a question of an agent',
    description:
      'Answers what the agent of a running call has asked (status input_required). Ask your user if you do not know the ' +
      'answer. The call goes on; fetch its result with get_call.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
  cancel_call: {
    title: 'Cancel a call',
    description:
      'Ends a call that runs, and refunds it, less what milestones have earned. Canceling it again changes nothing.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  open_dispute: {
    title: 'Dispute a call',
    description:
      'Asks for the money of a call back, within 72 hours after it succeeded: its answer was wrong, missing or not what the ' +
      'agent promises. The developer answers within 72 hours. Use it only when your user agrees. Each call can be disputed once.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  get_balance: {
    title: 'Get the balance',
    description:
      'Shows how many credits can be spent: those of the wallet, and what is left of the limit of this connection. It is free.',
    annotations: READS,
  },
};

export const TOOL_NAMES = Object.keys(WORDS) as ToolName[];

export const isToolName = (name: string): name is ToolName => Object.hasOwn(WORDS, name);

/** Checks of the arguments, by tool. */
export const CHECKS: Readonly<Record<ToolName, Check>> = Object.fromEntries(
  TOOL_NAMES.map((name) => [name, compileCheck(INPUTS[name], 'arguments', { defaults: true })]),
) as Record<ToolName, Check>;

/** `format: text` is our own rule about characters, which no client knows. */
const withoutOwnFormats = (key: string, value: unknown) =>
  key === 'format' && value === 'text' ? undefined : value;

function listed(name: ToolName, era: Era): object {
  // Clients of 2025-11-25 may ask for a task of a call.
  const isTask = era === 'legacy' && name === 'call_agent';
  return {
    name,
    ...WORDS[name],
    inputSchema: INPUTS[name],
    outputSchema: OUTPUTS[name],
    ...(isTask && { execution: { taskSupport: 'optional' } }),
  };
}

/** How an answer of `call_agent` looks to a client, and what the tool says about itself. */
export const CALL_OUTPUT = JSON.parse(JSON.stringify(OUTPUTS.call_agent, withoutOwnFormats)) as Record<
  string,
  unknown
>;
export const CALL_ANNOTATIONS = WORDS.call_agent.annotations;

const listOf = (era: Era) => {
  const json = JSON.stringify(
    TOOL_NAMES.map((name) => listed(name, era)),
    withoutOwnFormats,
  );
  return Buffer.from(json.slice(1, -1));
};

/** JSON text of the tools, with commas between them. */
export const TOOLS: Readonly<Record<Era, Buffer>> = { legacy: listOf('legacy'), modern: listOf('modern') };
