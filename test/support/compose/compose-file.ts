/** Reads docker-compose.yml as Compose does: merged, with the variables of .env, and with the files of `env_file`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface HealthCheck {
  test: string[];
  interval: string;
  timeout: string;
  retries: number;
}

type Condition = 'service_healthy' | 'service_completed_successfully';

export interface ComposeService {
  image?: string;
  build?: string;
  command?: string[];
  entrypoint?: string[];
  restart?: string;
  environment?: Record<string, string>;
  env_file?: { path: string; required: boolean }[];
  depends_on?: Record<string, { condition: Condition }>;
  volumes?: string[];
  healthcheck?: HealthCheck;
}

/**
 * The services by name, with whole environments. `folder` is that of the project, where .env is. Throws `Error` for a
 * variable that has no value and no default, with the message of the file.
 */
export function readCompose(file: string, folder: string): Record<string, ComposeService> {
  const variables = readVariables(join(folder, '.env'));
  const { services } = parse(readFileSync(file, 'utf8'), { merge: true }) as {
    services: Record<string, ComposeService>;
  };
  return Object.fromEntries(
    Object.entries(services).map(([name, service]) => {
      const filled = interpolate(service, variables) as ComposeService;
      const files = (filled.env_file ?? []).map(({ path, required }) =>
        readVariables(join(folder, path), required),
      );
      return [name, { ...filled, environment: Object.assign({}, ...files, filled.environment) }];
    }),
  );
}

/** The variables of a file of lines `NAME=value`. */
function readVariables(path: string, required = true): Record<string, string> {
  if (!required && !existsSync(path)) return {};
  const lines = readFileSync(path, 'utf8').matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

function interpolate(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(\w+):([-?])([^}]*)\}/g, insert);
  if (Array.isArray(value)) return value.map((each) => interpolate(each, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, interpolate(each, variables)]));

  function insert(_all: string, name: string, kind: string, rest: string): string {
    const found = variables[name];
    if (found) return found;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest;
  }
}
