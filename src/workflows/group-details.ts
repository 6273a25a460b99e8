import type { GroupMember, MemberEnd, StepTimes } from '../domain/calls/call-group';
import { timeOfId } from '../domain/instant';
import { creditsText } from '../domain/ledger/money';
import { type Details, isoTime } from './details';

const STEPS = { hold: 'held', forward: 'forwarded', validate: 'validated', settle: 'settled' } as const;

/**
 * What an operator needs to know about calls that share a workflow: a line for each, with its steps and their times.
 */
export function groupDetails(members: readonly GroupMember[], ends: readonly MemberEnd[]): Details {
  const endOf = new Map(ends.map((end) => [end.invocationId, end]));
  return {
    state:
      ends.length < members.length
        ? `${members.length - ends.length} of ${members.length} calls run`
        : `${members.length} calls, each ended on its own`,
    credits: members.map((member) => lineOf(member, endOf.get(member.invocationId))),
    operator: [
      '`market ledger trace <invocation>` lists each movement of a call; cancelling this workflow refunds those that run',
    ],
    api: ['GET /v1/invocations/{invocation_id}'],
  };
}

/** How a call ended, what was charged, where it is shown, and when its steps were done. */
function lineOf({ invocationId, agentId, buyerUserId, priceCredits }: GroupMember, end?: MemberEnd): string {
  const price = `${priceOf(priceCredits)} of ${buyerUserId} for ${agentId}`;
  const accepted = `accepted ${isoTime(timeOfId(invocationId))}`;
  if (end === undefined)
    return `\`${invocationId}\`: runs; ${price}${priceCredits === 0 ? '' : ' held'}${referenceOf(invocationId, priceCredits, 'hold')}; ${accepted}`;
  if (end.status === 'open')
    return `\`${invocationId}\`: has a workflow of its own, \`invocation/${invocationId}\``;
  const charged = end.creditsCharged ?? (end.status === 'succeeded' ? priceCredits : 0);
  const movement = end.status === 'succeeded' ? 'capture' : 'void';
  const steps = [accepted, ...stepsOf(end.stepsMs)].join(', ');
  return `\`${invocationId}\`: ${end.code ?? end.status}; ${price}, ${charged} charged${referenceOf(invocationId, priceCredits, movement)}; ${steps}`;
}

/** The steps that were done, each with the time since the call was accepted, such as `forward +25 ms`. */
function stepsOf(times: StepTimes = {}): string[] {
  return Object.entries(STEPS).flatMap(([step, done]) =>
    times[done] === undefined ? [] : [`${step} +${times[done]} ms`],
  );
}

const priceOf = (credits: number) => (credits === 0 ? 'free call' : creditsText(credits));

/** The reference in the ledger of the last movement of a call; a free call moves no credits. */
const referenceOf = (invocationId: string, credits: number, movement: 'hold' | 'capture' | 'void') =>
  credits === 0 ? '' : `, \`invocation/${invocationId}/${movement}\``;
