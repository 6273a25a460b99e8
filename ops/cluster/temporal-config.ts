import { TLS_NAMES, type TemporalFiles } from './certificates';
import { TEMPORAL_DATABASES, TEMPORAL_ROLE, TEMPORAL_SERVICES, type TemporalName } from './layout';
import { SEARCH_ATTRIBUTE_BYTES } from '../../src/runtime/temporal/limits';

export interface TemporalConfigInput {
  name: TemporalName;
  tls: TemporalFiles;
  /** Address of the pooler. */
  databaseAddress: string;
  databasePassword: string;
  /** Address of the proxy in front of the frontends. */
  frontendAddress: string;
  dynamicConfigFile: string;
  portOf: (name: string) => number;
}

/** History shards. Their number cannot be changed after the first start (docs/operators/more-machines.md). */
export const HISTORY_SHARDS = 64;
const CONNECTIONS = { persistence: 10, visibility: 4 } as const;

/** The configuration of one service process, in the format of Temporal's server (YAML; JSON is YAML). */
export function temporalConfig(input: TemporalConfigInput): object {
  return {
    log: { stdout: true, level: 'warn', format: 'json' },
    persistence: {
      defaultStore: 'persistence',
      visibilityStore: 'visibility',
      numHistoryShards: HISTORY_SHARDS,
      datastores: { persistence: store(input, 'persistence'), visibility: store(input, 'visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' }, tls: tlsOf(input.tls) },
    services: servicesOf(input),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: input.frontendAddress,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    namespaceDefaults: { archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } } },
    publicClient: { hostPort: input.frontendAddress },
    dynamicConfigClient: { filepath: input.dynamicConfigFile, pollInterval: '10s' },
  };
}

/** Statements have no names, because the pooler shares connections between transactions. */
function store(input: TemporalConfigInput, kind: keyof typeof TEMPORAL_DATABASES): object {
  return {
    sql: {
      pluginName: 'postgres12_pgx',
      databaseName: TEMPORAL_DATABASES[kind],
      connectAddr: input.databaseAddress,
      connectProtocol: 'tcp',
      connectAttributes: { default_query_exec_mode: 'simple_protocol' },
      user: TEMPORAL_ROLE,
      password: input.databasePassword,
      maxConns: CONNECTIONS[kind],
      maxIdleConns: CONNECTIONS[kind],
      maxConnLifetime: '1h',
    },
  };
}

/** Both ends of every connection show a certificate. */
function tlsOf({ caFile, internode, frontend, client }: TemporalFiles): object {
  const server = (files: { certFile: string; keyFile: string }) => ({
    ...files,
    requireClientAuth: true,
    clientCaFiles: [caFile],
  });
  const to = (serverName: string) => ({ serverName, rootCaFiles: [caFile] });
  return {
    internode: { server: server(internode), client: to(TLS_NAMES.internode) },
    frontend: { server: server(frontend), client: to(TLS_NAMES.frontend) },
    systemWorker: { ...client, client: to(TLS_NAMES.frontend) },
  };
}

/** All four services have to be named; the ports of a process's own service are its own. */
function servicesOf({ name, portOf }: TemporalConfigInput): object {
  const names = Object.keys(TEMPORAL_SERVICES) as TemporalName[];
  const services = [...new Set(Object.values(TEMPORAL_SERVICES))].map((service) => {
    const of =
      TEMPORAL_SERVICES[name] === service ? name : names.find((one) => TEMPORAL_SERVICES[one] === service);
    const rpc = {
      grpcPort: portOf(of ?? name),
      membershipPort: portOf(`${of ?? name}/membership`),
      bindOnIP: '127.0.0.1',
    };
    return [service, { rpc }] as const;
  });
  return Object.fromEntries(services);
}

/** Settings that the services read while they run. */
export function temporalDynamicConfig(): object {
  const always = (value: unknown) => [{ value, constraints: {} }];
  return {
    'system.forceSearchAttributesCacheRefreshOnRead': always(false),
    'frontend.searchAttributesSizeOfValueLimit': always(SEARCH_ATTRIBUTE_BYTES),
    // A service that stops first leaves the ring, and ends what it has begun.
    'frontend.shutdownDrainDuration': always('1s'),
    'history.shutdownDrainDuration': always('1s'),
    'matching.shutdownDrainDuration': always('1s'),
    'frontend.namespaceRPS': always(20_000),
    'frontend.namespaceCount': always(10_000),
  };
}
