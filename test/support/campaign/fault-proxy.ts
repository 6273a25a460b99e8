/** A TCP relay between two parts of the market that does to the bytes what networks do. */
import { realTime } from '../waits';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * `delay`: every piece arrives 200 ms late. `drip`: one byte at a time. `reset`: connections end in the middle of a
 * piece. `half-open`: what the target says is lost, while both sides stay connected. `black-hole`: nothing arrives in
 * either direction, and new connections hang.
 */
export const FAULTS = ['delay', 'drip', 'reset', 'half-open', 'black-hole'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultProxy {
  name: string;
  host: string;
  port: number;
  /** The fault from now on; undefined forwards again. Connections that lost bytes are cut then, as TCP would. */
  set(fault: Fault | undefined): void;
  close(): Promise<void>;
}

const DELAY_MS = 200;
/** Bytes that drip one by one; the rest of a piece follows at once. */
const DRIPS = 24;

export async function startFaultProxy(
  name: string,
  target: { host: string; port: number },
  host = '127.0.0.1',
): Promise<FaultProxy> {
  let fault: Fault | undefined;
  const sockets = new Set<Socket>();
  const torn = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const relay = (from: Socket, to: Socket, isAnswer: boolean) => {
    // Pieces stay in order, whatever fault each of them meets.
    let last = Promise.resolve();
    from.on('data', (piece: Buffer) => {
      last = last.then(() => pass(piece, to, isAnswer)).catch(() => undefined);
    });
    from.on('close', () => void last.then(() => to.destroy()));
  };
  async function pass(piece: Buffer, to: Socket, isAnswer: boolean): Promise<void> {
    if (to.destroyed) return;
    if (fault === 'black-hole' || (fault === 'half-open' && isAnswer)) return void torn.add(to);
    if (fault === 'reset') {
      to.write(piece.subarray(0, Math.ceil(piece.length / 2)));
      to.resetAndDestroy();
      return;
    }
    if (fault === 'delay') await later(DELAY_MS);
    if (fault === 'drip') {
      for (let at = 0; at < Math.min(DRIPS, piece.length); at += 1) {
        to.write(piece.subarray(at, at + 1));
        await later(1);
      }
      to.write(piece.subarray(DRIPS));
      return;
    }
    to.write(piece);
  }
  const server = createServer((client) => {
    track(client);
    if (fault === 'black-hole') return void torn.add(client);
    const server = connect(target.port, target.host);
    track(server);
    relay(client, server, false);
    relay(server, client, true);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    name,
    host,
    port: (server.address() as AddressInfo).port,
    set(next) {
      fault = next;
      if (next !== undefined) return;
      for (const socket of torn) socket.destroy();
      torn.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const later = (ms: number) => realTime(ms, 'the network is slow');
