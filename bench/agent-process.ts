/** An agent that answers at once: echoes its input. Prints its address. */
import { startAgent } from '../test/support/agents/test-agent';

void startAgent({ host: '127.77.0.9', keepBodies: false }).then((agent) => console.log(agent.url));
