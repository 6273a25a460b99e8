/** The services of A2A: cards, tasks, push notifications, and webhooks; and the documents that directories read. */
import type { Config } from '../config';
import type { Egress } from '../egress/agent-call';
import { createCallbackTokens } from '../kit/crypto/callback-token';
import type { Cipher } from '../kit/crypto/cipher';
import type { Logger } from '../logger';
import type { Db, DbPool } from '../stores/db';
import { createAgentCards } from './a2a/a2a-cards';
import { createPushConfigs } from './a2a/a2a-push';
import { createPushSource } from './a2a/a2a-push-source';
import { createTaskStarts } from './a2a/a2a-task-starts';
import { createTaskSteps } from './a2a/a2a-task-steps';
import { createTaskViews } from './a2a/a2a-task-views';
import { createLiveForms } from './mcp/live-forms';
import { createMcpFeatures, type UpstreamFeatures } from './mcp/mcp-features';
import { createMcpTools } from './mcp/mcp-tools';
import type { UpstreamTools } from './mcp/notary/tool-looks';
import { createToolListViews } from './mcp/notary/tool-list-views';
import type { ToolNotary } from './mcp/notary/tool-notary';
import { createTaskWatch } from './a2a/a2a-task-watch';
import { createA2aTasks } from './a2a/a2a-tasks';
import type { AgentJobs } from './calls/agent/agent-jobs';
import type { CallServices } from './call-services';
import { createCallPlaces } from './calls/in-flight-limit';
import { createDiscoveryParts } from './discovery/discovery-parts';
import { createJobCallbacks } from './jobs/job-callbacks';
import { createJobPieces } from './jobs/job-pieces';
import { createJobQuestions } from './jobs/job-questions';
import { createJobSteps } from './jobs/job-steps';
import { createJobs } from './jobs/jobs';
import { createEventStreams } from './webhooks/event-streams';
import { createWebhookDeliveries } from './webhooks/webhook-deliveries';
import { createWebhookHistory } from './webhooks/webhook-history';
import { createWebhookSource } from './webhooks/webhook-source';
import { createWebhooks } from './webhooks/webhooks';

export interface TaskServicesDeps {
  pool: DbPool;
  reads: Db;
  sessions: DbPool;
  cipher: Cipher;
  config: Config;
  logger: Logger;
  egress: Egress;
  agents: AgentJobs & UpstreamFeatures & UpstreamTools;
  notary: ToolNotary;
}

export function createTaskServices(deps: TaskServicesDeps, calls: CallServices) {
  const { pool, sessions, cipher, config, logger, egress, agents } = deps;
  const { registry, steps, servingVersions, invocations, answers, seals } = calls;
  const pushConfigs = createPushConfigs({ pool, cipher, egress });
  const taskViews = createTaskViews({ db: pool, cipher, answers });
  const sources = {
    a2a_push: createPushSource({ pool, cipher, views: taskViews }),
    webhook: createWebhookSource({ pool, cipher }),
  };
  const places = createCallPlaces(config.MAX_IN_FLIGHT);
  const { chatSessions } = calls;
  const taskDeps = { pool, cipher, registry, steps, servingVersions, chatSessions, places, logger };
  const jobQuestions = createJobQuestions({ pool, cipher, windowMs: config.QUESTION_WINDOW_MS });
  const webhooks = createWebhooks({ pool, cipher, egress });
  const jobPieces = createJobPieces({
    pool,
    cipher,
    disputeWindowMs: config.DISPUTE_WINDOW_MS,
    reserveMs: config.PAYOUT_RESERVE_MS,
  });
  return {
    ...cardParts(deps, calls),
    ...createDiscoveryParts({ ...deps, keys: calls.signingKeys }),
    pushConfigs,
    taskViews,
    taskWatch: createTaskWatch({ pool, sessions, logger }),
    mcpFeatures: createMcpFeatures({ agents }),
    liveForms: createLiveForms({ pool, ...(sessions && { sessions }), cipher, logger }),
    taskStarts: createTaskStarts({ pool }),
    taskSteps: {
      ...createTaskSteps(taskDeps),
      ...createJobSteps({ ...taskDeps, agents, questions: jobQuestions }),
    },
    jobs: createJobs({ pool }),
    jobPieces,
    jobQuestions,
    jobCallbacks: createJobCallbacks({
      pool,
      cipher,
      pieces: jobPieces,
      questions: jobQuestions,
      servingVersions,
      notificationTokens: createCallbackTokens(config.SESSION_SECRET, 'notification'),
    }),
    a2aTasks: createA2aTasks({
      pool,
      cipher,
      invocations,
      servingVersions,
      seals,
      pushConfigs,
    }),
    webhookDeliveries: createWebhookDeliveries({
      pool,
      cipher,
      egress,
      sources,
      logger,
      storedQuota: config.MAX_STORED_BYTES_FREE,
      places: config.MAX_IN_FLIGHT / 2,
    }),
    webhooks,
    webhookHistory: createWebhookHistory({ pool, webhooks }),
    eventStreams: createEventStreams({ pool, cipher, logger }),
  };
}

/** The tools of MCP agents, and the cards that show them. */
function cardParts({ pool, config, agents, notary }: TaskServicesDeps, calls: CallServices) {
  const { signingKeys: keys, servingVersions } = calls;
  const mcpTools = createMcpTools({ agents, notary });
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  const terms = { origin, disputeWindowMs: config.DISPUTE_WINDOW_MS, takesPayments: config.X402 };
  const toolListViews = createToolListViews({ pool, keys });
  return {
    mcpTools,
    toolListViews,
    agentCards: createAgentCards({ pool, keys, servingVersions, mcpTools, ...terms }),
  };
}
