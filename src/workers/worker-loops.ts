/**
 * Every loop of a worker process, with the bound of what its statements read
 * (docs/internals/statements.md#bounded-work).
 */
import type { Container } from '../container';
import { createBondCases } from '../engine/bonds';
import { createDisputeCases } from '../engine/disputes';
import { createJobEngine } from '../engine/jobs';
import { createLeavingCases } from '../engine/leaving';
import { createLostCallSweep } from '../engine/lost-calls';
import { createPayoutSweep } from '../engine/payout-sweep';
import { ensurePayoutSchedule } from '../engine/payouts';
import { createRubricRollouts } from '../engine/rubric-rollout';
import { ensureSchedules } from '../engine/schedules';
import { createTaskEngine } from '../engine/tasks';
import { eachPart } from '../engine/turn-parts';
import type { VerificationTrigger } from '../engine/verification';
import { createWebhookOutbox } from '../engine/webhooks';
import { createLongCalls } from '../services/calls/in-flight-limit';
import { createSpendRollUp } from '../services/billing/spend';
import { createLedgerDigests } from '../services/ledger/ledger-digests';
import { createMarketLog } from '../services/market-log/publish';
import { createPartitions } from '../services/operations/partitions';
import { createEarningDays } from '../services/payouts/earning-days';
import type { Loop, LoopSpec } from './loops';
import { taskQueues } from './queues';
import type { TemporalLink } from './temporal-link';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** How often creating the Schedules is retried, until it succeeds. */
const SCHEDULES_INTERVAL_MS = 5_000;
/** How often the figures of listings are computed. */
const STATS_INTERVAL_MS = 15_000;
/** How often ended calls are added to the days of their buyers. */
const SPEND_INTERVAL_MS = 15_000;
const REPORT_INTERVAL_MS = 5_000;
/** How often wallets are compared with the balances below which they are topped up. */
const TOPUPS_INTERVAL_MS = 5_000;
/** How often open calls that are no longer young are listed. */
const LONG_CALLS_INTERVAL_MS = 2_000;

/** The loops of a worker process, not started. */
export function workerLoops(
  container: Container,
  link: TemporalLink,
  trigger: VerificationTrigger,
): LoopSpec[] {
  const { config, pool, logger } = container;
  const taskQueue = taskQueues(config.TASK_QUEUE_PREFIX).operations;
  return [
    ...moneyLoops(container),
    ...caseLoops(container, link, taskQueue, trigger),
    ...taskLoops(container, link, taskQueue),
    loop('mails', SECOND_MS, 1_000, container.mails.ofAccounts.send),
    loop('mail purge', 10 * MINUTE_MS, 5_000, container.mails.ofAccounts.purge),
    loop('notice mails', SECOND_MS, 1_000, container.mails.ofNotices.send),
    loop('notice mail purge', 10 * MINUTE_MS, 5_000, container.mails.ofNotices.purge),
    loop('export purge', MINUTE_MS, 2_000, () => eachPart(container.exports.purge, container.retained.purge)),
    loop('session purge', 10 * MINUTE_MS, 5_000, container.sessionList.purge),
    loop('oauth purge', MINUTE_MS, 6_000, oauthPurge(container)),
    loop('schedules', SCHEDULES_INTERVAL_MS, 0, scheduling(container, link, taskQueue)),
    loop('partitions', 10 * MINUTE_MS, 1_000, createPartitions({ pool, logger })),
    loop('x402 payments', 2 * SECOND_MS, 3_000, x402Work(container)),
    loop('quote purge', 10 * MINUTE_MS, 1_000, container.quotes.purge),
    loop('price notices', SECOND_MS, 65_000, container.priceNotices.send),
    loop('usage roll-up', SECOND_MS, 10_000, container.agentFigures.rollUpUsage),
    loop('relations of accounts', STATS_INTERVAL_MS, 40_000, followingRelations(container)),
    loop('spend roll-up', SPEND_INTERVAL_MS, 10_000, createSpendRollUp({ pool })),
    loop('listing figures', STATS_INTERVAL_MS, 40_000, container.agentFigures.refresh),
    ...embeddingLoops(container),
  ];
}

/** The loop that tells all processes which loops of this one fail, for readiness. */
export function reporting({ loopReports }: Container, loops: readonly Loop[]) {
  const failing = () => loops.filter((each) => each.isFailing()).map(({ name }) => name);
  return loop('loop reports', REPORT_INTERVAL_MS, 100, () => loopReports.report(failing()));
}

function loop(name: string, everyMs: number, mostRows: number, work: () => Promise<unknown>): LoopSpec {
  return { name, everyMs, mostRows, work };
}

/** Finds accounts of one hand by their money, and counts their calls accordingly. */
function followingRelations({ agentFigures }: Container) {
  return () => eachPart(agentFigures.findCircles, agentFigures.followRelations);
}

/** Drives payments of callers without an account and their refunds on, and deletes used statements. */
function x402Work({ paymentLoop, payerRefunds, payerSignIns }: Container) {
  return () => eachPart(paymentLoop, payerRefunds.turn, payerSignIns.purge);
}

/** Embeds changed texts of agents, where there is an endpoint for it. */
function embeddingLoops({ agentVectors }: Container) {
  return agentVectors ? [loop('agent vectors', SECOND_MS, 1_000, agentVectors.refresh)] : [];
}

function moneyLoops(container: Container) {
  const { config, pool, logger, sweep, metrics, ledger, signingKeys, autoTopups, cipher } = container;
  const sweepLeases = async () => metrics.callsSwept(await sweep());
  const digests = createLedgerDigests({ pool, keys: signingKeys, logger });
  return [
    loop('lease sweep', config.SWEEP_INTERVAL_MS, 1_000, sweepLeases),
    loop('long calls', LONG_CALLS_INTERVAL_MS, 1_000, createLongCalls({ pool })),
    loop('roll-up', SECOND_MS, 10_000, ledger.rollUp),
    loop('earning days', SECOND_MS, 10_000, createEarningDays({ pool })),
    loop('ledger digests', MINUTE_MS, 100_000, digests),
    loop('market log', MINUTE_MS, 100_000, createMarketLog({ pool, keys: signingKeys, cipher, logger })),
    loop('automatic top-ups', TOPUPS_INTERVAL_MS, 3_000, autoTopups.run),
  ];
}

/** The sweeps that start the workflows of what has none, e.g. because the engine was unreachable. */
function caseLoops(
  container: Container,
  { client }: TemporalLink,
  taskQueue: string,
  trigger: VerificationTrigger,
) {
  const { config, logger, disputes, bonds, slashes, rubricRollout } = container;
  const every = config.SWEEP_INTERVAL_MS;
  const cases = createDisputeCases({ client, taskQueue, disputes, logger });
  const { TASK_QUEUE_PREFIX: prefix } = config;
  const payouts = createPayoutSweep({ client, prefix, taskQueue, runs: container.payoutRuns, logger });
  const rollouts = createRubricRollouts({ client, taskQueue, rollout: rubricRollout, logger });
  return [
    loop('lost calls', every, 5_000, lostCallSweep(container, client)),
    loop('verification sweep', every, 1_000, () => askForWaiting(container, trigger)),
    loop('behaviour watch', every, 2_000, () => askForChanged(container, trigger)),
    loop('tool changes', every, 1_000, () => askForTools(container, trigger)),
    loop('advisory sweep', every, 10_000, () => askForHits(container, trigger)),
    loop('waiver sweep', every, 1_000, () => askForWaived(container, trigger)),
    loop('rubric rollouts', every, 10_000, rollouts),
    loop('dispute sweep', every, 1_000, cases.sweep),
    loop('payout sweep', every, 10_000, payouts),
    loop(
      'leaving sweep',
      every,
      1_000,
      createLeavingCases({ ...container, client, taskQueue, logger }).sweep,
    ),
    loop('bond sweep', every, 1_000, createBondCases({ client, taskQueue, bonds, slashes, logger }).sweep),
  ];
}

function lostCallSweep({ config, callOwners, logger }: Container, client: TemporalLink['client']) {
  const { invocations, owner } = taskQueues(config.TASK_QUEUE_PREFIX);
  return createLostCallSweep({
    client,
    taskQueue: invocations,
    ownerQueue: owner,
    owners: callOwners,
    logger,
  });
}

/** Deletes ended codes and tokens, expired grants and unused clients, in small batches. */
function oauthPurge({ oauthGrants, oauthClients, oauthDevices }: Container) {
  const most = 1_000;
  return () => eachPart(...[oauthGrants, oauthClients, oauthDevices].map((each) => () => each.purge(most)));
}

/** The loops for unstarted tasks, the webhook outbox, and the deletion of old tasks and deliveries. */
function taskLoops({ config, logger, ...container }: Container, { client }: TemporalLink, taskQueue: string) {
  const tasks = createTaskEngine({
    client,
    taskQueue,
    tasks: container.a2aTasks,
    starts: container.taskStarts,
    logger,
  });
  const { jobs: dueJobs, jobQuestions: questions } = container;
  const jobs = createJobEngine({ client, taskQueue, jobs: dueJobs, questions, logger });
  const outbox = createWebhookOutbox({
    client,
    taskQueue,
    deliveries: container.webhookDeliveries,
    pausesMs: config.WEBHOOK_RETRY_PAUSES_MS,
  });
  return [
    loop('task starts', config.SWEEP_INTERVAL_MS, 1_000, tasks.sweep),
    loop('job sweep', config.SWEEP_INTERVAL_MS, 1_000, jobs.sweep),
    loop('task purge', 10 * MINUTE_MS, 5_000, container.taskStarts.purge),
    loop('webhook outbox', SECOND_MS, 5_000, outbox),
    loop('webhook purge', 10 * MINUTE_MS, 5_000, container.webhookHistory.purge),
  ];
}

/** Returns the step that creates the Schedules once per process, as soon as the engine is reachable. */
function scheduling({ config }: Container, link: TemporalLink, taskQueue: string): () => Promise<void> {
  let made = false;
  return async () => {
    const client = link.client();
    if (made || !client) return;
    const names = { prefix: config.TASK_QUEUE_PREFIX, taskQueue };
    const fetchesRates = config.FX_SOURCE !== 'none';
    const fetchesAdvisories = config.ADVISORY_SOURCE !== 'none';
    await Promise.all([
      ensureSchedules(client, { ...names, fetchesRates, fetchesAdvisories }),
      ensurePayoutSchedule(client, names),
    ]);
    made = true;
  };
}

/** Requests verification of versions that were submitted while the engine was unreachable. */
async function askForWaiting({ verification }: Container, trigger: VerificationTrigger): Promise<void> {
  for (const { agentId, versionId } of await verification.listUntriggered()) {
    await trigger.ask({ agentId, versionId, reason: 'sweep' });
  }
}

/** Requests verification of agents whose buyers' calls end otherwise than their probes. */
async function askForChanged({ behaviourWatch }: Container, trigger: VerificationTrigger): Promise<void> {
  for (const agent of await behaviourWatch.look()) await trigger.ask({ ...agent, reason: 'behaviour' });
}

/** Requests verification of agents whose MCP servers list other tools than the verified ones. */
async function askForTools({ notary }: Container, trigger: VerificationTrigger): Promise<void> {
  for (const agent of await notary.listDue())
    if (await trigger.ask({ ...agent, reason: 'tools' })) await notary.markAsked(agent.versionId);
}

/** Ends expired waivers, and requests verification of agents whose waivers began or ended. */
async function askForWaived({ waivers }: Container, trigger: VerificationTrigger): Promise<void> {
  const askForUnasked = async () => {
    for (const agent of await waivers.listUnasked())
      if (await trigger.ask({ ...agent, reason: 'operator' })) await waivers.markAsked(agent.agentId);
  };
  await eachPart(waivers.expire, askForUnasked);
}

/** Requests verification of agents that pin an affected version, also after manual imports. */
async function askForHits({ advisories }: Container, trigger: VerificationTrigger): Promise<void> {
  const askForUnasked = async () => {
    for (const agent of await advisories.listUnasked()) {
      const isAsked = await trigger.ask({ ...agent, reason: 'advisory' });
      if (isAsked) await advisories.markAsked(agent.versionId);
    }
  };
  await eachPart(advisories.sweep, askForUnasked);
}
