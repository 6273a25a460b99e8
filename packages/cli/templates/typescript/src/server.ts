import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { answer, InvalidInput } from './agent.js';

/**
 * The HTTP side of the agent. The marketplace sends `POST /invoke` and signs each request with the secret of the agent
 * (https://www.standardwebhooks.com); every other request is refused. TLS ends in front of this process.
 */
export function createAgentServer(secret: string) {
  const webhook = new Webhook(secret);
  return createServer(async (request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/health') return send(200, { status: 'ok' });
    if (request.method !== 'POST' || request.url !== '/invoke')
      return send(404, { error: { message: 'not found' } });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    try {
      webhook.verify(body, request.headers as Record<string, string>);
    } catch {
      return send(401, { error: { message: 'the signature is missing or wrong' } });
    }
    try {
      return send(200, answer(JSON.parse(body)));
    } catch (error) {
      if (error instanceof InvalidInput || error instanceof SyntaxError)
        return send(422, { error: { message: error.message } });
      console.error(error);
      return send(500, { error: { message: 'the agent failed' } });
    }
  });
}

if (process.argv[1]?.endsWith('server.js')) {
  const secret = process.env.MARKET_SIGNING_SECRET;
  if (!secret)
    throw new Error(
      'MARKET_SIGNING_SECRET is missing: market agents show __SLUG__ --json prints it as signing_secret',
    );
  const port = Number(process.env.PORT ?? 8080);
  createAgentServer(secret).listen(port, process.env.HOST ?? '0.0.0.0', () =>
    console.log(`listening on port ${port}`),
  );
}
