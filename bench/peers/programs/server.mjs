/** The HTTP side of a lean peer: Express, a key, JSON in and JSON out. Prints its address when it listens. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import { authenticate } from './steps.mjs';

/** `run(id, buyer, task)` drives a call to its end and returns its output. `task`: the input, and the agent's pause. */
export function serve(run) {
  const app = express();
  app.disable('x-powered-by').use(express.json());
  app.post('/invoke', async (req, res) => {
    try {
      const buyer = await authenticate(req.headers['x-api-key'] ?? '');
      const id = randomUUID();
      res.json({
        invocation_id: id,
        output: await run(id, buyer, { pause: req.query.pause, input: req.body.input }),
      });
    } catch (error) {
      res.status(500).json({ message: String(error) });
    }
  });
  const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
  process.on('SIGTERM', () => process.exit(0));
}
