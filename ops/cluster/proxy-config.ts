/** A server behind the proxy. */
export interface Behind {
  name: string;
  port: number;
}

export interface ProxyConfigInput {
  apiPort: number;
  temporalPort: number;
  /** Path of the socket that takes commands. */
  socket: string;
  apis: readonly Behind[];
  frontends: readonly Behind[];
}

export const BACKENDS = { apis: 'apis', frontends: 'frontends' } as const;
/** Streams and long polls may be silent for this long. */
const SILENCE = '11m';

/**
 * haproxy.cfg. A request goes to the API with the fewest, on a connection of its own, and to the next one when the
 * first takes no connection. It is never sent twice. The frontends of Temporal keep their own TLS.
 */
export function proxyConfig(input: ProxyConfigInput): string {
  const servers = (list: readonly Behind[]) =>
    list.map(({ name, port }) => `  server ${name} 127.0.0.1:${port} check`).join('\n');
  return `global
  maxconn 4000
  stats socket ${input.socket} mode 600 level admin expose-fd listeners

defaults
  timeout connect 2s
  timeout client ${SILENCE}
  timeout server ${SILENCE}
  timeout http-request 30s
  timeout queue 5s
  retries 3
  option redispatch
  timeout check 5s
  default-server inter 1s fall 3 rise 1

frontend api
  mode http
  bind 127.0.0.1:${input.apiPort}
  option idle-close-on-response
  default_backend ${BACKENDS.apis}

backend ${BACKENDS.apis}
  mode http
  balance leastconn
  option forwardfor
  option http-server-close
  retry-on conn-failure
  option httpchk GET /health
  http-check expect status 200
${servers(input.apis)}

frontend temporal
  mode tcp
  bind 127.0.0.1:${input.temporalPort}
  default_backend ${BACKENDS.frontends}

backend ${BACKENDS.frontends}
  mode tcp
  balance leastconn
  option tcp-check
${servers(input.frontends)}
`;
}
