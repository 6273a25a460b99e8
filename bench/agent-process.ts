/** An agent that echoes its input after AGENT_PAUSE_MS (default: at once). Prints its address. */
import { startAgent } from '../test/support/agents/test-agent';

const ms = Number(process.env['AGENT_PAUSE_MS'] ?? 0);

void startAgent({ host: '127.77.0.9', keepBodies: false }).then((agent) => {
  if (ms > 0) agent.behave({ kind: 'slow', ms });
  console.log(agent.url);
});
