/** Worker thread that reads the answers to probes (`answer-thread.ts`). */
import { asBuffer, serveJobs } from '../../kit/threads/thread-jobs';
import { evidenceOf, type LiveResults, type Observations } from './live-evidence';
import type { LiveStage } from './live-plan';
import { saysWords } from './red-team';

export type AnswerRequest =
  | { op: 'words'; words: string; input: string; answer: Uint8Array }
  | { op: 'evidence'; stage: LiveStage; seen: Observations };

export type AnswerReply =
  { ok: true; value: boolean | LiveResults[LiveStage] } | { ok: false; fault: string };

function withBuffers(seen: Observations): Observations {
  for (const exchange of [...seen.exchanges, ...seen.attacks.map((result) => result.exchange)])
    if (exchange?.answer) exchange.answer = asBuffer(exchange.answer);
  for (const one of [...seen.expected, ...seen.repeats]) one.answer = asBuffer(one.answer);
  return seen;
}

function perform(request: AnswerRequest): AnswerReply {
  try {
    if (request.op === 'words')
      return { ok: true, value: saysWords(request.words, request.input, asBuffer(request.answer)) };
    return { ok: true, value: evidenceOf(request.stage, withBuffers(request.seen)) };
  } catch (error) {
    return { ok: false, fault: String((error as Error).stack) };
  }
}

serveJobs(perform);
