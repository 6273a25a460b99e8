/** What accepts, drives and reads calls. */
import type { Config } from '../config';
import type { Cipher } from '../kit/cipher';
import { newProcessId } from '../kit/ids';
import type { SchemaPool } from '../kit/schema-pool';
import type { TokenCounter } from '../kit/tokens';
import type { Logger } from '../logger';
import type { DbPool } from '../stores/db';
import type { AgentCaller } from './agent-caller';
import { createChatSessions } from './chat-sessions';
import { createEvidence } from './evidence';
import { createStoredAnswers } from './invocation-answers';
import { createInvocationDeliveries } from './invocation-deliveries';
import { createInvocationRegistry } from './invocation-registry';
import { createInvocationSteps } from './invocation-steps';
import { createInvocationViews } from './invocation-views';
import { createInvocationWatch } from './invocation-watch';
import { createInvocations } from './invocations';
import { createLeaseSweep } from './lease-sweep';
import { createMandateKeys } from './mandate-keys';
import { createMandates } from './mandates';
import { createMetering } from './metering';
import { createRetention } from './retention';
import { createServingVersions } from './serving-version-cache';
import { createSigningKeys } from './signing-keys';

export interface CallServicesDeps {
  pool: DbPool;
  cipher: Cipher;
  schemas: SchemaPool;
  config: Config;
  logger: Logger;
  agents: AgentCaller;
  tokens: TokenCounter;
}

/** The registry makes this process the owner of the calls that it accepts. */
export function createCallServices(deps: CallServicesDeps) {
  const { pool, cipher, schemas, config, logger, agents, tokens } = deps;
  const registry = createInvocationRegistry(newProcessId());
  const servingVersions = createServingVersions({ db: pool });
  const signingKeys = createSigningKeys({ pool, cipher });
  const evidence = createEvidence({ pool, keys: signingKeys });
  const steps = createInvocationSteps({
    pool,
    registry,
    schemas,
    cipher,
    agents,
    metering: createMetering({ tokens }),
    disputeWindowMs: config.DISPUTE_WINDOW_MS,
    logger,
  });
  return {
    registry,
    servingVersions,
    signingKeys,
    steps,
    invocations: createInvocations({ pool, config, registry, servingVersions, schemas, tokens }),
    mandates: createMandates({ pool, origin: new URL(config.PUBLIC_ORIGIN).origin }),
    mandateKeys: createMandateKeys({ pool }),
    chatSessions: createChatSessions(config.SESSION_SECRET),
    answers: createStoredAnswers({ db: pool, cipher }),
    deliveries: createInvocationDeliveries({ pool, owner: registry.owner, logger }),
    retention: createRetention({ pool }),
    watch: createInvocationWatch({ pool, registry, steps, logger }),
    invocationViews: createInvocationViews({ pool, cipher, evidence }),
    sweep: createLeaseSweep({ pool, pendingLeaseMs: config.PENDING_LEASE_MS, logger }),
  };
}

export type CallServices = ReturnType<typeof createCallServices>;
