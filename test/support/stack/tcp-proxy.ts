import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** `forward` as usual; `refuse` new and cut old connections; `hang`: everything stays open and nothing arrives. */
  mode: (mode: 'forward' | 'refuse' | 'hang') => void;
  close: () => Promise<void>;
}

/** A TCP relay between the service and a part that it needs, which can be made to fail. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let current: 'forward' | 'refuse' | 'hang' = 'forward';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    track(client);
    if (current === 'refuse') return client.destroy();
    const target = connect(targetPort, '127.0.0.1');
    track(target);
    relay(client, target);
    relay(target, client);
    return undefined;
  });
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const relay = (from: Socket, to: Socket) => {
    from.on('data', (chunk) => {
      if (current !== 'hang') to.write(chunk);
    });
    from.on('close', () => to.destroy());
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mode(mode) {
      current = mode;
      if (mode === 'refuse') for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
