/** Clients that disconnect before a handler runs: the work that waits for them must still end. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Response } from 'express';
import { startEventStream } from '../answers/sse';
import { createStreamPlaces } from './stream-places';
import { clientGone, whenClosed } from '../identity/context';

let gone: Response;
beforeAll(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: market\r\n\r\n');
  const [, res] = (await once(server, 'request')) as [unknown, Response];
  socket.resetAndDestroy();
  await once(res, 'close');
  gone = res;
  server.close();
});

it('acts at once for a response that is closed', () => {
  const act = jest.fn();
  whenClosed(gone, act);
  expect(act).toHaveBeenCalledTimes(1);
});

it('reports that the client has disconnected', () => {
  expect(clientGone(gone).aborted).toBe(true);
});

it('frees the place of its stream', () => {
  const places = createStreamPlaces(
    { EVENT_STREAMS_PER_ACCOUNT: 1, EVENT_STREAMS: 1 },
    'One stream at a time.',
  );
  places.enter('usr_1', gone);
  expect(() => places.enter('usr_1', gone)).not.toThrow();
});

it('ends its event stream, and starts no timer for it', () => {
  const timers = jest.spyOn(global, 'setInterval');
  const stream = startEventStream(gone);
  stream.begin();
  expect(stream.closed.aborted).toBe(true);
  expect(timers).not.toHaveBeenCalled();
  timers.mockRestore();
});
