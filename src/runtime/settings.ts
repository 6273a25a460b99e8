import { resolve } from 'node:path';

/** Settings of the local stack that a developer may choose. */
export interface StackSettings {
  /** Root folder of the repository. */
  root: string;
  /** Folder of data, logs, secrets and runtime.json (MARKET_HOME; default `.market`). */
  home: string;
  /** Preferred ports. Ports in use are replaced. */
  ports: StackPorts;
  /** False if `npm start` leaves the documentation site as it is (BUILD_DOCS=false); default true. */
  buildsDocs: boolean;
  /** True if the stack takes payments by a sandbox of providers (`--payments`). */
  takesPayments: boolean;
  /** False if the first start makes no history (DEMONSTRATION_HISTORY=false); default true. */
  makesHistory: boolean;
}

export interface StackPorts {
  api: number;
  temporal: number;
  temporalUi: number;
  postgres: number;
  apiMetrics: number;
  workerMetrics: number;
}

const ROOT = resolve(__dirname, '../..');

/**
 * Reads MARKET_HOME, BUILD_DOCS, DEMONSTRATION_HISTORY, PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, POSTGRES_PORT and
 * METRICS_PORT (the worker uses the port after it), and the words of the command. Throws when a port is invalid.
 */
export function loadStackSettings(
  env: NodeJS.ProcessEnv = process.env,
  words: readonly string[] = process.argv,
): StackSettings {
  const metrics = readPort(env, 'METRICS_PORT', 9464);
  return {
    root: ROOT,
    home: resolve(env['MARKET_HOME'] || resolve(ROOT, '.market')),
    buildsDocs: env['BUILD_DOCS'] !== 'false',
    takesPayments: words.includes('--payments'),
    makesHistory: env['DEMONSTRATION_HISTORY'] !== 'false',
    ports: {
      api: readPort(env, 'PORT', 4000),
      temporal: readPort(env, 'TEMPORAL_PORT', 7233),
      temporalUi: readPort(env, 'TEMPORAL_UI_PORT', 8233),
      postgres: readPort(env, 'POSTGRES_PORT', 5433),
      apiMetrics: metrics,
      workerMetrics: metrics + 1,
    },
  };
}

function readPort(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name];
  if (!text) return fallback;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${name}=${text} is not a port: use a whole number from 1 to 65535`);
  return port;
}
