import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import type { Schema } from '../api-schema';
import { verb, type VerbResult } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { CliFailure, EXIT, usageFailure } from '../failure';
import { recordResult } from '../terminal/pages';
import { INTERRUPTED } from '../terminal/terminal-input';
import { answerAtTerminal } from './answer-invocation';
import { cancelable } from './cancelable';

type Call = Schema<'InvocationDetail'>;
type WaitOptions = GlobalOptions & { timeout?: string };

/** The longest wait of one request. */
const LONGEST_WAIT_S = 60;
/** An earlier answer that the call runs comes from a process that stops. */
const LEAST_MS = 1_000;
/** Pauses after a marketplace that cannot be reached or is busy; after the last, its failure is that of the verb. */
const PAUSES_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];

/** `market invocations wait`. */
export function addInvocationWait(invocations: Command): void {
  invocations
    .command('wait')
    .argument('<call>', 'call id, inv_…')
    .option('--timeout <seconds>', 'how long to wait; as long as the call runs if it is left out')
    .description('waits until a call has ended, and prints it with its output')
    .addHelpText(
      'after',
      `
A question of the agent is shown as soon as it is asked, and answered at the terminal. Ctrl-C asks whether to cancel the call.
Exit 0: succeeded; 1: failed, or disputed; 4: failed in a way that may pass, or running after --timeout.

Example:
  market invocations wait inv_…`,
    )
    .action(
      verb(async (id: string, _options, command: Command) => {
        const options = command.optsWithGlobals<WaitOptions>();
        const api = connect(options);
        const seconds = secondsOf(options);
        return conclusion(await cancelable(api, id, () => untilEnded(api, id, seconds)));
      }),
    );
}

function secondsOf({ timeout }: WaitOptions): number {
  const seconds = timeout === undefined ? Infinity : Number(timeout);
  if (seconds > 0) return seconds;
  throw usageFailure(`--timeout must be a positive number of seconds, not ${timeout}`);
}

/** Waits until a call has ended. Throws `CliFailure` (exit 4) when it runs after so many seconds. */
export async function untilEnded(api: MarketApi, id: string, seconds: number): Promise<Call> {
  const path = `/v1/invocations/${encodeURIComponent(id)}`;
  const endsAt = performance.now() + seconds * 1_000;
  let known = '';
  for (let failures = 0; ;) {
    const begunAt = performance.now();
    const leftMs = endsAt - begunAt;
    if (leftMs <= 0)
      throw new CliFailure(`${id} still runs after ${seconds} s`, EXIT.later, { invocation_id: id });
    try {
      const wait = Math.min(LONGEST_WAIT_S, Math.ceil(leftMs / 1_000));
      const question = encodeURIComponent(known);
      const call = await api.call<Call>('GET', `${path}?wait=${wait}&known_question=${question}`);
      if (call.status !== 'pending' && call.status !== 'running') return call;
      failures = 0;
      known = await answerNew(api, call, known);
    } catch (error) {
      const pauseMs = PAUSES_MS[failures];
      if (!(error instanceof CliFailure && error.exitCode === EXIT.later) || pauseMs === undefined)
        throw error;
      failures += 1;
      await sleep(Math.min(pauseMs, leftMs));
    }
    await sleep(Math.max(0, begunAt + LEAST_MS - performance.now()));
  }
}

/**
 * Shows a new question of the agent, and answers it from the terminal if there is one. Returns the id of the question
 * that was shown last.
 */
async function answerNew(api: MarketApi, { invocation_id: id, job }: Call, known: string): Promise<string> {
  const question = job?.question;
  if (!question || question.question_id === known) return known;
  await answerAtTerminal(api, id, question).catch((error: unknown) => {
    // Ctrl-C asks whether to cancel the call.
    if (!(error instanceof CliFailure) || error.json['code'] !== INTERRUPTED) throw error;
  });
  return question.question_id;
}

function conclusion(call: Call): VerbResult {
  const failed = call.error?.retryable ? EXIT.later : EXIT.refused;
  return { ...recordResult(call), exitCode: call.status === 'succeeded' ? EXIT.done : failed };
}
