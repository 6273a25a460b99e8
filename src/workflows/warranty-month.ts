/**
 * Decides the warranties of a calendar month (docs/warranty.md). A Schedule starts it on the first of each month. Each
 * agent is decided by an activity of its own, and one that fails holds up no other; the next month's run does not make
 * up for it, so an operator starts the workflow again with the month. A broken warranty begins a slash, whose workflow
 * leaves the developer seven days.
 */
import { continueAsNew, log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { WarrantyActivities } from '../activities/warranties';
import { monthBefore, type WarrantyCounts, type WarrantyMonthInput } from '../domain/bonds/warranty';
import { show } from './details';

const AT_ONCE = 5;
const PAGE = 100;

const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' } as const;
const { listWarrantedAgents } = proxyActivities<WarrantyActivities>({ startToCloseTimeout: '30s', retry });
const { decideWarranty } = proxyActivities<WarrantyActivities>({
  startToCloseTimeout: '5m',
  retry: { ...retry, maximumAttempts: 10 },
});

export async function warrantyMonth(input: WarrantyMonthInput = {}): Promise<WarrantyCounts> {
  const month = input.month ?? monthBefore(nominalTime());
  const counts: WarrantyCounts = { kept: 0, broken: 0, few_calls: 0, none: 0, missing: 0, ...input.counts };
  showRun(month, counts, 'Decides the warranties');
  const agents = await listWarrantedAgents({ month, after: input.afterAgentId ?? '', limit: PAGE });
  for (let at = 0; at < agents.length; at += AT_ONCE) {
    await Promise.all(agents.slice(at, at + AT_ONCE).map((agentId) => decide(agentId, month, counts)));
    showRun(month, counts, 'Decides the warranties');
  }
  const last = agents.at(-1);
  if (last !== undefined && agents.length === PAGE)
    await continueAsNew<typeof warrantyMonth>({ month, afterAgentId: last, counts });
  showRun(month, counts, 'Has decided the warranties');
  return counts;
}

async function decide(agentId: string, month: string, counts: WarrantyCounts): Promise<void> {
  try {
    const asOf = new Date().toISOString();
    const summary = `warranty of ${agentId}`;
    const outcome = await decideWarranty.executeWithOptions({ summary }, [agentId, month, asOf]);
    counts[outcome] += 1;
  } catch (error) {
    log.warn('a warranty was not decided', { agentId, month, error });
    counts.missing += 1;
  }
}

function showRun(
  month: string,
  { kept, broken, few_calls: few, missing }: WarrantyCounts,
  state: string,
): void {
  show({
    state: `${state} of ${month}: ${kept} kept, ${broken} broken, ${few} with few calls, ${missing} missing`,
    then: 'a broken one is a slash, which its developer may contest for 7 days',
    credits: ['bond → slash hold, `slash/<slash>/apply`, then → the buyers, `slash/<slash>/remedy/<buyer>`'],
    operator: ['`market slashes list` shows the slashes; `market slashes resolve` decides a contested one'],
  });
}

/** The time for which the Schedule fired, so that a run that is made up for decides the month that was due. */
function nominalTime(): number {
  const { searchAttributes, startTime } = workflowInfo();
  const scheduled = searchAttributes['TemporalScheduledStartTime']?.[0];
  return (scheduled instanceof Date ? scheduled : startTime).getTime();
}
