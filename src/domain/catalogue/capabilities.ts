/** What an agent can do beyond answering a call: the members of `capabilities` of a manifest or a registration. */
import type { FieldProblem } from '../errors';
import { asRecord, isRecord } from '../json-value';

/** Jobs of an agent: it may answer a call with 202 and work for longer than its timeout. */
export interface JobCapability {
  /** The longest job, from the call to its end. */
  max_seconds: number;
  /** An agent that is silent for longer has failed. */
  heartbeat_seconds?: number;
}

export interface Capabilities {
  streaming: boolean;
  idempotent: boolean;
  a2a_invocable: boolean;
  jobs?: JobCapability;
}

/** Those that a registration may declare. */
export type RegisteredCapabilities = Partial<Pick<Capabilities, 'streaming' | 'jobs'>>;

export const CAPABILITY_DEFAULTS = { streaming: false, idempotent: false, a2a_invocable: true } as const;

export const JOB_LIMITS = {
  secondsMin: 60,
  seconds: 604_800,
  heartbeatSecondsMin: 10,
  heartbeatSeconds: 3_600,
  defaultHeartbeatSeconds: 300,
} as const;

/** Checks that a job cannot end before its agent may be silent. `loc` is relative to what has the capabilities. */
export function jobProblems(capabilities: Record<string, unknown>): FieldProblem[] {
  const { max_seconds: most, heartbeat_seconds: heartbeat } = asRecord(capabilities.jobs);
  if (typeof most !== 'number' || typeof heartbeat !== 'number' || heartbeat <= most) return [];
  return [
    {
      loc: ['capabilities', 'jobs', 'heartbeat_seconds'],
      msg: `must be at most max_seconds (${most})`,
      type: 'above_max_seconds',
    },
  ];
}

/** Adds the default of `heartbeat_seconds`, which never exceeds `max_seconds`. */
export function completeJobs(jobs: JobCapability): Required<JobCapability> {
  const heartbeat = Math.min(JOB_LIMITS.defaultHeartbeatSeconds, jobs.max_seconds);
  return { ...jobs, heartbeat_seconds: jobs.heartbeat_seconds ?? heartbeat };
}

/** Completes the capabilities that a manifest or a registration declares. */
export function completeCapabilities(given: Partial<Capabilities> = {}): Capabilities {
  const { jobs, ...rest } = given;
  return { ...CAPABILITY_DEFAULTS, ...rest, ...(jobs && { jobs: completeJobs(jobs) }) };
}

/** The problem of a field that an MCP server does not declare. */
export const TOOLS_HAVE_SCHEMAS = {
  msg: 'is not allowed for an MCP server, whose tools have schemas of their own',
  type: 'not_allowed',
} as const;

/** Refuses the capabilities of an MCP server. The refusal of jobs says that they are a limit of this service. */
export function toolCapabilityProblems(capabilities: unknown): FieldProblem[] {
  if (capabilities === undefined) return [];
  const { jobs, ...others } = asRecord(capabilities);
  const all: FieldProblem = { loc: ['capabilities'], ...TOOLS_HAVE_SCHEMAS };
  if (jobs === undefined) return [all];
  const msg = 'is not allowed: jobs of MCP servers are not supported yet';
  const ofJobs: FieldProblem = { loc: ['capabilities', 'jobs'], msg, type: 'not_allowed' };
  return Object.keys(others).length > 0 ? [all, ofJobs] : [ofJobs];
}

/** The capabilities as the owner of a registration declares them. Values that are the default are left out. */
export function declaredCapabilities({ streaming, jobs }: RegisteredCapabilities = {}): {
  capabilities?: RegisteredCapabilities;
} {
  if (!streaming && !jobs) return {};
  return { capabilities: { ...(streaming && { streaming }), ...(jobs && { jobs: declaredJobs(jobs) }) } };
}

function declaredJobs({ max_seconds, heartbeat_seconds }: JobCapability): JobCapability {
  const isDefault = completeJobs({ max_seconds }).heartbeat_seconds === heartbeat_seconds;
  return { max_seconds, ...(heartbeat_seconds !== undefined && !isDefault && { heartbeat_seconds }) };
}

/** Applies a partial update: null removes a capability or a field of jobs, and what is left out keeps its value. */
export function mergeCapabilities(before: RegisteredCapabilities, change: Record<string, unknown>): unknown {
  const jobs = isRecord(change.jobs) ? withoutNulls({ ...before.jobs, ...change.jobs }) : change.jobs;
  return withoutNulls({ ...before, ...change, ...(jobs !== undefined && { jobs }) });
}

const withoutNulls = (from: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== null));
