export interface TemporalBuild {
  version: string;
  download: string;
  package: string;
  /** Packages of Temporal's own cluster: its services in one program, and the tool that makes its schemas. */
  services: Record<'server' | 'sql-tool', string>;
  flags: string[];
  env: Record<string, string>;
  /** The packages that are compiled while npm installs. */
  ahead: string[];
}

/** The folder with the Go module that pins the server. */
export const PINNED: string;

/** How the server is built, from `build.json`. */
export function readTemporalBuild(): TemporalBuild;

/**
 * The path of the server that every clone of this user shares, whether it is there or not; with `part`, of a program of
 * Temporal's own cluster.
 */
export function cachedTemporalBinary(env?: NodeJS.ProcessEnv, part?: 'server' | 'sql-tool'): string;

/** The paths that a `temporal` of PATH may have, whether it is there or not. */
export function temporalOnPath(env?: NodeJS.ProcessEnv): string[];
