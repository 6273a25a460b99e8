/** The disputes of the history: one in each of its states. */
import type { DisputeReason } from '../../../domain/disputes/dispute-state';
import { newTraceId } from '../../../kit/ids/ids';
import {
  insertDisputeText,
  openDispute,
  resolveDispute,
  respondToDispute,
} from '../../../stores/disputes/disputes';
import { type CaseContext, HOUR_MS, type Moment, type Person } from './moment';
import type { Past } from './past';
import type { PastCall } from './past-calls';
import { slashedCalls } from './past-slash';
import { pastId } from './random';

interface Case {
  /** Days before today of the call; the dispute is opened some hours after it. */
  day: number;
  slug: string;
  person: Person;
  reason: DisputeReason;
  description: string;
  answer?: { afterHours: number; decision: 'accept' | 'contest' | 'silence'; statement?: string };
  ruling?: { afterHours: number; decision: 'buyer' | 'developer'; reason: string };
}

const OPENED_AFTER_HOURS = 5;
/** A weekend may have no such call; then a call of the next days is disputed. */
const CASE_DAYS = 3;

const CASES: readonly Case[] = [
  {
    day: 25,
    slug: 'csv-profiler',
    person: 'buyer',
    reason: 'output_incorrect',
    description: 'The column "amount" is counted as text, although all of its values are numbers.',
    answer: {
      afterHours: 20,
      decision: 'accept',
      statement: 'Decimal commas were read as text. This is corrected.',
    },
  },
  {
    day: 21,
    slug: 'html-to-markdown',
    person: 'team',
    reason: 'output_incorrect',
    description: 'The table of the page is missing in the Markdown.',
    answer: { afterHours: 72, decision: 'silence' },
  },
  {
    day: 17,
    slug: 'csv-profiler',
    person: 'buyer',
    reason: 'output_incorrect',
    description: 'Two columns of the same name are merged into one.',
    answer: {
      afterHours: 30,
      decision: 'contest',
      statement: 'Both columns are in the profile, the second as name_2.',
    },
    ruling: { afterHours: 55, decision: 'buyer', reason: 'The second column has the values of the first.' },
  },
  {
    day: 13,
    slug: 'csv-profiler',
    person: 'team',
    reason: 'schema_violation',
    description: 'The share of missing values is given as a percentage.',
    answer: {
      afterHours: 9,
      decision: 'contest',
      statement: 'It is a share from 0 to 1, as the schema says: 0.43.',
    },
    ruling: {
      afterHours: 60,
      decision: 'developer',
      reason: 'The answer follows the schema of the listing.',
    },
  },
  {
    day: 2,
    slug: 'csv-profiler',
    person: 'buyer',
    reason: 'output_incorrect',
    description: 'An empty column is counted as text.',
    answer: { afterHours: 8, decision: 'contest', statement: 'The column has the text "n.a." in two rows.' },
  },
  {
    day: 1,
    slug: 'html-to-markdown',
    person: 'buyer',
    reason: 'other',
    description: 'The answer has the menu of the page instead of its article.',
  },
  {
    day: 1,
    slug: 'plain-english',
    person: 'team',
    reason: 'output_incorrect',
    description: 'The second paragraph was not rewritten.',
  },
];

/** The moments of all disputes. A call is disputed once, and none of those that the slash refunds. */
export function disputeMoments(context: CaseContext, calls: readonly PastCall[], untilMs: number): Moment[] {
  const used = new Set(slashedCalls(calls).map(({ invocationId }) => invocationId));
  return CASES.flatMap((each) => {
    const call = calls.find(
      (candidate) =>
        candidate.day <= each.day &&
        candidate.day > each.day - CASE_DAYS &&
        candidate.slug === each.slug &&
        candidate.person === each.person &&
        candidate.failure === null &&
        !used.has(candidate.invocationId),
    );
    if (!call) return [];
    used.add(call.invocationId);
    return momentsOf(context, each, call).filter(({ atMs }) => atMs < untilMs);
  });
}

function momentsOf(context: CaseContext, each: Case, call: PastCall): Moment[] {
  const openedMs = call.endMs + OPENED_AFTER_HOURS * HOUR_MS;
  const disputeId = pastId('dsp', openedMs);
  const { users, agents } = context;
  const after = (hours: number) => openedMs + hours * HOUR_MS;
  const { answer, ruling } = each;
  const moments: Moment[] = [
    { atMs: openedMs, run: (past) => openCase(past, context, each, { call, disputeId, openedMs }) },
  ];
  if (answer)
    moments.push({
      atMs: after(answer.afterHours),
      async run({ pool }) {
        const atMs = after(answer.afterHours);
        const author = agents.get(each.slug)?.developerUserId ?? '';
        const textId = answer.statement === undefined ? null : pastId('dst', atMs);
        if (textId !== null)
          await insertDisputeText(pool, {
            textId,
            disputeId,
            authorUserId: author,
            body: answer.statement ?? '',
          });
        await respondToDispute(pool, disputeId, { decision: answer.decision, textId, asOf: new Date(atMs) });
      },
    });
  if (ruling)
    moments.push({
      atMs: after(ruling.afterHours),
      async run({ pool }) {
        const atMs = after(ruling.afterHours);
        const textId = pastId('dst', atMs);
        await insertDisputeText(pool, {
          textId,
          disputeId,
          authorUserId: users.operator,
          body: ruling.reason,
        });
        const decided = {
          decision: ruling.decision,
          textId,
          operatorUserId: users.operator,
          asOf: new Date(atMs),
        };
        await resolveDispute(pool, disputeId, decided);
      },
    });
  return moments;
}

async function openCase(
  { pool }: Past,
  { users, disputeWindowMs, responseWindowMs }: CaseContext,
  { person, reason, description }: Case,
  { call, disputeId, openedMs }: { call: PastCall; disputeId: string; openedMs: number },
): Promise<void> {
  const { outcome } = await openDispute(pool, {
    disputeId,
    invocationId: call.invocationId,
    buyerUserId: users[person],
    reason,
    description,
    disputeWindowMs,
    responseWindowMs,
    asOf: new Date(openedMs),
    traceId: newTraceId(),
  });
  if (outcome !== 'opened') throw new Error(`a dispute of the history is not opened: ${outcome}`);
}
