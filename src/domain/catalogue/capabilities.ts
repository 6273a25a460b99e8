/** What an agent can do beyond answering a call: the members of `capabilities` of a manifest or a registration. */
import type { FieldProblem } from '../errors';
import { asRecord, isRecord } from '../json-value';

/** Jobs of an agent: it may answer a call with 202 and work for longer than its timeout. */
export interface JobCapability {
  /** The longest job, from the call to its end. */
  max_seconds: number;
  /** An agent that is silent for longer has failed. */
  heartbeat_seconds?: number;
  /** How long verification waits for the job of a probe. */
  probe_max_seconds?: number;
  /** Parts of the work that are paid also if the job fails or is cancelled after them (ADR 0319). */
  milestones?: Milestone[];
}

export interface Milestone {
  name: string;
  /** The part of the price that it earns. */
  percent: number;
}

export interface Capabilities {
  streaming: boolean;
  idempotent: boolean;
  a2a_invocable: boolean;
  /** Buyers may set tests for its answers (ADR 0425). */
  accepts_tests?: boolean;
  jobs?: JobCapability;
}

/** Those that a registration may declare. */
export type RegisteredCapabilities = Partial<Pick<Capabilities, 'streaming' | 'accepts_tests' | 'jobs'>>;

export const CAPABILITY_DEFAULTS = { streaming: false, idempotent: false, a2a_invocable: true } as const;

export const JOB_LIMITS = {
  secondsMin: 60,
  seconds: 604_800,
  heartbeatSecondsMin: 10,
  heartbeatSeconds: 3_600,
  defaultHeartbeatSeconds: 300,
  probeSecondsMin: 1,
  probeSeconds: 300,
  defaultProbeSeconds: 60,
  milestones: 10,
  milestoneName: 60,
} as const;

/** The times that a job cannot exceed, because it ends before. */
const WITHIN_MAX_SECONDS = ['heartbeat_seconds', 'probe_max_seconds'] as const;

/**
 * Checks that a job cannot end before its agent may be silent, or before verification stops waiting for it, and its
 * milestones. `loc` is relative to what has the capabilities.
 */
export function jobProblems(capabilities: Record<string, unknown>, isMetered: boolean): FieldProblem[] {
  const { max_seconds: most, milestones, ...times } = asRecord(capabilities.jobs);
  const tooLong = WITHIN_MAX_SECONDS.filter((name) => {
    const seconds = times[name];
    return typeof most === 'number' && typeof seconds === 'number' && seconds > most;
  });
  return [
    ...tooLong.map((name) => ({
      loc: ['capabilities', 'jobs', name],
      msg: `must be at most max_seconds (${String(most)})`,
      type: 'above_max_seconds',
    })),
    ...milestoneProblems(milestones, isMetered),
  ];
}

/** Milestones are parts of a price that is known before the call. */
function milestoneProblems(milestones: unknown, isMetered: boolean): FieldProblem[] {
  if (!Array.isArray(milestones)) return [];
  const loc = ['capabilities', 'jobs', 'milestones'];
  const parts = milestones.map(asRecord);
  const sum = parts.reduce((all, { percent }) => all + (typeof percent === 'number' ? percent : 0), 0);
  const names = parts.map(({ name }) => name);
  const twice = names.flatMap((name, at) => (names.indexOf(name) < at ? [at] : []));
  return [
    ...(isMetered ? [{ loc, msg: 'need a price per call (per_call)', type: 'needs_price_per_call' }] : []),
    ...(sum > 100
      ? [{ loc, msg: `must be at most 100 percent together (${sum})`, type: 'above_100_percent' }]
      : []),
    ...twice.map((at) => ({
      loc: [...loc, at, 'name'],
      msg: 'is the name of another milestone',
      type: 'unique',
    })),
  ];
}

/** Adds the default of `heartbeat_seconds`, which never exceeds `max_seconds`. */
export function completeJobs(jobs: JobCapability): JobCapability & { heartbeat_seconds: number } {
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

const MOST_TOOL_NAME = 256;

/** The input of an MCP agent names a tool and gives its arguments, on every surface. */
export function toolExampleProblems(examples: unknown): FieldProblem[] {
  const list = Array.isArray(examples) ? (examples as unknown[]) : [];
  return list.flatMap((example, at) => {
    const { tool, arguments: given, ...others } = asRecord(asRecord(example).input);
    const isNamed = typeof tool === 'string' && tool !== '' && tool.length <= MOST_TOOL_NAME;
    const takes = given === undefined || isRecord(given);
    if (isNamed && takes && Object.keys(others).length === 0) return [];
    const msg = 'must be a call: {"tool": "…", "arguments": {…}}';
    return [{ loc: ['examples', at, 'input'], msg, type: 'not_a_tool_call' }];
  });
}

/** Refuses the capabilities of an MCP server that its tools and tasks have, or cannot have, by themselves. */
export function toolCapabilityProblems(capabilities: unknown): FieldProblem[] {
  const { jobs, accepts_tests: _, ...others } = asRecord(capabilities);
  const { milestones, ...declared } = asRecord(jobs);
  const notAllowed = (name: string, value: unknown, msg: string): FieldProblem[] =>
    value === undefined ? [] : [{ loc: ['capabilities', 'jobs', name], msg, type: 'not_allowed' }];
  return [
    ...Object.keys(others).map((name) => ({ loc: ['capabilities', name], ...TOOLS_HAVE_SCHEMAS })),
    ...notAllowed('milestones', milestones, 'are not allowed for an MCP server, whose tasks report none'),
    ...jobProblems({ jobs: declared }, false),
  ];
}

/** The problem of a field that an A2A agent does not declare. */
export const MESSAGES_HAVE_SCHEMAS = {
  msg: 'is not allowed for an A2A agent, whose agent card says it',
  type: 'not_allowed',
} as const;

/** Refuses the capabilities of an A2A agent that its card has, and milestones, which its tasks do not report. */
export function messageCapabilityProblems(capabilities: unknown, isMetered: boolean): FieldProblem[] {
  const { jobs, accepts_tests: _, ...others } = asRecord(capabilities);
  const { milestones, ...declared } = asRecord(jobs);
  const msg = 'are not allowed for an A2A agent, whose tasks report none';
  return [
    ...Object.keys(others).map((name) => ({ loc: ['capabilities', name], ...MESSAGES_HAVE_SCHEMAS })),
    ...(milestones === undefined
      ? []
      : [{ loc: ['capabilities', 'jobs', 'milestones'], msg, type: 'not_allowed' }]),
    ...jobProblems({ jobs: declared }, isMetered),
  ];
}

/** The capabilities as the owner of a registration declares them. Values that are the default are left out. */
export function declaredCapabilities({ streaming, accepts_tests, jobs }: RegisteredCapabilities = {}): {
  capabilities?: RegisteredCapabilities;
} {
  if (!streaming && !accepts_tests && !jobs) return {};
  return {
    capabilities: {
      ...(streaming && { streaming }),
      ...(accepts_tests && { accepts_tests }),
      ...(jobs && { jobs: declaredJobs(jobs) }),
    },
  };
}

function declaredJobs({ heartbeat_seconds, ...jobs }: JobCapability): JobCapability {
  const isDefault = completeJobs({ max_seconds: jobs.max_seconds }).heartbeat_seconds === heartbeat_seconds;
  return { ...jobs, ...(heartbeat_seconds !== undefined && !isDefault && { heartbeat_seconds }) };
}

/** Applies a partial update: null removes a capability or a field of jobs, and what is left out keeps its value. */
export function mergeCapabilities(before: RegisteredCapabilities, change: Record<string, unknown>): unknown {
  const jobs = isRecord(change.jobs) ? withoutNulls({ ...before.jobs, ...change.jobs }) : change.jobs;
  return withoutNulls({ ...before, ...change, ...(jobs !== undefined && { jobs }) });
}

const withoutNulls = (from: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== null));
