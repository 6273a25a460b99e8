/** Why no response of an agent came, for the owner of the agent. Buyers read the code of the call alone. */
interface CauseText {
  /** Completes "failed with agent_unreachable (…)". */
  what: string;
  /** What the owner does about it. */
  remedy: string;
}

const CAUSES = {
  refused: {
    what: 'connection refused',
    remedy: 'Start the agent, and see that it listens on the port of its address on every network interface.',
  },
  /** Also for an address that is not public: what names only this service resolves stays unknown (ADR 0195). */
  no_address: {
    what: 'the host name has no public address',
    remedy: 'Correct the host name of the address, or its DNS record, which must name public addresses only.',
  },
  no_route: {
    what: 'no route to the host',
    remedy: 'See that the DNS record names an address that the internet reaches.',
  },
  connect_timeout: {
    what: 'the connection was not accepted in time',
    remedy: 'See that a firewall lets connections to the port of the address through.',
  },
  broken: {
    what: 'the connection broke before a response',
    remedy:
      'See in the log of the agent why it closes connections, such as a crash or a proxy in front of it.',
  },
  certificate_expired: {
    what: 'its TLS certificate has expired',
    remedy: 'Renew the certificate.',
  },
  certificate_name: {
    what: 'its TLS certificate is for another host name',
    remedy: 'Install a certificate for the host name of the address.',
  },
  certificate_untrusted: {
    what: 'its TLS certificate is not from a public authority, or its chain is incomplete',
    remedy: 'Install a certificate of a public authority with its intermediate certificates.',
  },
  tls: {
    what: 'TLS failed',
    remedy: 'See that the port of the address serves HTTPS with TLS 1.2 or newer.',
  },
} as const satisfies Record<string, CauseText>;

export type ConnectionCause = keyof typeof CAUSES;

export const textOfCause = (cause: ConnectionCause): CauseText => CAUSES[cause];
