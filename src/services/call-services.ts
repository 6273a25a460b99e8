/** Creates the services that accept, perform and read calls. */
import type { Config } from '../config';
import type { Cipher } from '../kit/crypto/cipher';
import { newProcessId } from '../kit/ids/ids';
import type { SchemaPool } from '../kit/schemas/schema-pool';
import type { TokenCounter } from '../kit/tokens/tokens';
import type { Logger } from '../logger';
import type { DbPool } from '../stores/db';
import { createTaskSeals } from './a2a/a2a-task-seals';
import type { AnswerThreads } from './calls/answers/answer-threads';
import type { AgentCaller } from './calls/agent/agent-caller';
import { createChatSessions } from './calls/chat-sessions';
import { createEvidence } from './evidence/evidence';
import { createBodyKeeper } from './calls/agent/body-keeper';
import { createKeptBodies } from './calls/agent/kept-bodies';
import { createStoredAnswers } from './calls/invocation-answers';
import { createInvocationDeliveries } from './calls/invocation-deliveries';
import { createInvocationRegistry } from './calls/invocation-registry';
import { createCallBatches } from '../stores/calls/call-batches';
import { createCallOrder } from './calls/call-order';
import { createCallEndings, createCallFollower } from './calls/call-follower';
import { createCallOwners } from './calls/call-owners';
import { createInvocationSteps } from './calls/invocation-steps';
import { createInvocationViews } from './calls/invocation-views';
import { createInvocationWatch } from './calls/invocation-watch';
import { createCallGate } from './calls/call-gate';
import { createCallWaits } from './calls/call-waits';
import { createCallPlaces } from './calls/in-flight-limit';
import { createInputCheck } from './calls/agent/input-check';
import { createQuestionWatch } from './jobs/question-watch';
import { createInvocations } from './calls/invocations';
import { createLeaseSweep } from './operations/lease-sweep';
import { createMandateKeys } from './mandates/mandate-keys';
import { createMandates } from './mandates/mandates';
import { type CallPace, createCallTallies } from './calls/agent/call-statistics';
import { createMetering } from './calls/agent/metering';
import { createRetention } from './operations/retention';
import { createServingVersions } from './catalogue/serving-version-cache';
import { createQuotes } from './quotes/quotes';
import { createSigningKeys } from './evidence/signing-keys';

export interface CallServicesDeps {
  pool: DbPool;
  sessions: DbPool;
  cipher: Cipher;
  schemas: SchemaPool;
  config: Config;
  logger: Logger;
  agents: AgentCaller;
  answerThreads: AnswerThreads;
  pace: CallPace;
  tokens: TokenCounter;
}

/** Creates the services. The registry makes this process the owner of the calls that it accepts. */
export function createCallServices(deps: CallServicesDeps) {
  const { pool, sessions, cipher, schemas, config, logger, agents, answerThreads, pace, tokens } = deps;
  const registry = createInvocationRegistry(newProcessId());
  const servingVersions = createServingVersions({ db: pool });
  const signingKeys = createSigningKeys({ pool, cipher });
  const evidence = createEvidence({ pool, keys: signingKeys });
  const tallies = createCallTallies({ pool, logger });
  const batches = createCallBatches({ pool });
  const places = createCallPlaces(config.MAX_IN_FLIGHT);
  const steps = createInvocationSteps({
    pool,
    batches,
    registry,
    schemas,
    cipher,
    agents,
    metering: createMetering({ tokens }),
    answerThreads,
    pace,
    tallies,
    bodies: createBodyKeeper({ pool, cipher, quota: config.MAX_KEPT_BYTES, logger }),
    quotas: config,
    disputeWindowMs: config.DISPUTE_WINDOW_MS,
    reserveMs: config.PAYOUT_RESERVE_MS,
    logger,
  });
  const watch = createInvocationWatch({ pool, sessions, registry, steps, logger });
  const endingOf = createCallEndings(steps);
  const callOrder = createCallOrder(config);
  const seals = createTaskSeals({ cipher, quotas: config });
  const questions = createQuestionWatch({ pool, logger });
  return {
    callOrder,
    tallies,
    registry,
    servingVersions,
    signingKeys,
    steps,
    callOwners: createCallOwners({ pool, owner: registry.owner, logger }),
    endingOf,
    followCalls: createCallFollower({ pool, registry, endingOf }),
    inputCheck: createInputCheck({ servingVersions, schemas }),
    callGate: createCallGate({ pool, servingVersions, schemas, config, places }),
    invocations: createInvocations({
      pool,
      batches,
      config,
      order: callOrder,
      registry,
      servingVersions,
      schemas,
      tokens,
      places,
      sealCall: seals.sealCall,
    }),
    seals,
    mandates: createMandates({ pool, origin: new URL(config.PUBLIC_ORIGIN).origin }),
    mandateKeys: createMandateKeys({ pool }),
    chatSessions: createChatSessions(config.SESSION_SECRET),
    keptBodies: createKeptBodies({ pool, cipher }),
    quotes: createQuotes({ pool, servingVersions, schemas, keys: signingKeys }),
    answers: createStoredAnswers({ db: pool, cipher }),
    deliveries: createInvocationDeliveries({ pool, owner: registry.owner, logger }),
    retention: createRetention({ pool }),
    watch,
    invocationViews: createInvocationViews({ pool, cipher, evidence }),
    callWaits: createCallWaits({ pool, registry, watch, questions }),
    sweep: createLeaseSweep({ pool, pendingLeaseMs: config.PENDING_LEASE_MS, logger }),
  };
}

export type CallServices = ReturnType<typeof createCallServices>;
