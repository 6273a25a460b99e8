import type { Config } from '../config';
import type { Egress } from '../egress/agent-call';
import { signedEgress } from '../egress/signed-egress';
import type { Cipher } from '../kit/crypto/cipher';
import type { MaskPool } from '../kit/masking/mask-pool';
import type { Logger } from '../logger';
import type { DbPool } from '../stores/db';
import type { AnswerThreads } from './calls/answers/answer-threads';
import { createAgentCaller } from './calls/agent/agent-caller';
import { createAgentEnvelopes } from './calls/agent/agent-envelope';
import { createAgentNotices } from './catalogue/agent-notices';
import { createUpstreamCredentials } from './catalogue/upstream-credentials';
import { createRequestKeys } from './evidence/request-keys';
import { createCallbackUrls } from './jobs/callback-urls';
import { createMcpClient } from './mcp/client';
import { createToolNotary } from './mcp/notary/tool-notary';

interface AgentPartsDeps {
  pool: DbPool;
  cipher: Cipher;
  config: Config;
  egress: Egress;
  masking: MaskPool;
  answerThreads: AnswerThreads;
  logger: Logger;
}

/** Creates what calls agents. Every request to an agent is signed by a key of the marketplace (ADR 0352). */
export function createAgentParts(deps: AgentPartsDeps) {
  const { pool, cipher, config, masking, answerThreads, logger } = deps;
  const credentials = createUpstreamCredentials({ pool, cipher });
  const notices = createAgentNotices({ pool, logger });
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  const onError = (error: unknown) => logger.warn({ err: error }, 'requests to agents are not signed');
  const requestKeys = createRequestKeys({ pool, cipher, origin, onError });
  const agentEgress = signedEgress(deps.egress, requestKeys.headersFor);
  const callbackUrls = createCallbackUrls(config);
  const envelopes = createAgentEnvelopes({ cipher, credentials, notices, masking, callbackUrls, logger });
  const mcp = createMcpClient({ egress: agentEgress });
  const notary = createToolNotary({ pool });
  const { requireTool } = notary;
  const agents = createAgentCaller({
    egress: agentEgress,
    envelopeOf: envelopes.of,
    mcp,
    answerThreads,
    requireTool,
  });
  return { credentials, notices, requestKeys, agentEgress, notary, agents };
}
