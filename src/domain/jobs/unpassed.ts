/**
 * What of an MCP server does not pass to buyers (ADR 0274): requests that its tools make of their client, and features
 * that it declares. Everything that a server says is untrusted.
 */
import type { AgentNoticeKind } from '../catalogue/agent-notice';
import { asRecord, isRecord } from '../json-value';

/** A request of a server that does not pass, by what it asks for. The owner gets the notice `asks_…`. */
export type UnpassedRequest = AgentNoticeKind extends infer Kind
  ? Kind extends `asks_${infer Request}`
    ? Request
    : never
  : never;

export type UnpassedFeature = UnpassedRequest | 'tasks' | 'subscriptions' | 'experimental' | 'extensions';

/** A feature that does not pass, as verification has seen it: in calls of buyers, in the list of tools, or declared. */
export interface UnpassedFact {
  what: UnpassedFeature;
  seen: 'calls' | 'listing' | 'declared';
  /** The first names that the server gives it; empty for a request. */
  names: string[];
  count: number;
}

/** Why a request does not pass. */
export interface UnpassedProblem {
  kind: UnpassedRequest;
  /** A sentence that names it. */
  words: string;
}

const MOST_NAMES = 5;
const LONGEST_NAME = 100;
/** The extensions that pass: pages of MCP Apps, and tasks. */
const PASSED: ReadonlySet<string> = new Set(['io.modelcontextprotocol/ui', 'io.modelcontextprotocol/tasks']);

/** The requests among the kinds of an agent's notices. */
export function requestsIn(kinds: readonly AgentNoticeKind[]): UnpassedRequest[] {
  return kinds.flatMap((kind) =>
    kind.startsWith('asks_') ? [kind.slice('asks_'.length) as UnpassedRequest] : [],
  );
}

export function requestFact(what: UnpassedRequest, seen: 'calls' | 'listing'): UnpassedFact {
  return { what, seen, names: [], count: 1 };
}

/** Collects what does not pass while a server is asked for its tools. `takesJobs`: the registration declares jobs. */
export function createUnpassed(takesJobs: boolean) {
  const asked = new Set<UnpassedRequest>();
  let declared: UnpassedFact[] = [];
  return {
    hear: (request: UnpassedRequest): void => void asked.add(request),
    read(server: Omit<DeclaringServer, 'takesJobs'>): void {
      declared = declaredFacts({ ...server, takesJobs });
    },
    facts: (): UnpassedFact[] => [...declared, ...[...asked].map((what) => requestFact(what, 'listing'))],
  };
}

interface DeclaringServer {
  capabilities: Record<string, unknown>;
  tools: readonly Record<string, unknown>[];
  takesJobs: boolean;
}

function declaredFacts(server: DeclaringServer): UnpassedFact[] {
  const { resources, experimental, extensions } = server.capabilities;
  const inTasks = server.tools.filter(({ execution }) => asRecord(execution)['taskSupport'] === 'required');
  return [
    ...declared('tasks', server.takesJobs ? [] : inTasks.map(({ name }) => String(name))),
    ...declared('subscriptions', asRecord(resources)['subscribe'] === true ? ['resources/subscribe'] : []),
    ...declared('experimental', namesOf(experimental)),
    ...declared(
      'extensions',
      namesOf(extensions).filter((name) => !PASSED.has(name)),
    ),
  ];
}

const namesOf = (members: unknown): string[] => (isRecord(members) ? Object.keys(members) : []);

function declared(what: UnpassedFeature, names: readonly string[]): UnpassedFact[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME).toWellFormed());
  return [{ what, seen: 'declared', names: shown, count: names.length }];
}
