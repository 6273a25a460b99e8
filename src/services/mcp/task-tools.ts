/**
 * Which tools of a server of revision 2025-11-25 may be called as tasks. There, a caller must ask for a task, and only
 * of a tool that lists itself as able to; in the modern era, the server alone decides.
 */
import { isRecord } from '../../domain/json-value';
import { BoundedMap } from '../../kit/bounded-map';
import type { McpConnection } from './connection';
import type { McpTarget } from './target';
import type { JsonObject } from './protocol';

const MAX_REMEMBERED = 1_000;
/** How long a list of tools is believed. */
const FRESH_MS = 60_000;

export function createTaskTools() {
  const known = new BoundedMap<string, { at: number; names: ReadonlySet<string> }>(MAX_REMEMBERED);

  return {
    /** The parameter of a tool call that asks for a task; none if the call may not be one. */
    async wishOf(
      { tasks, cacheKey }: Pick<McpTarget, 'tasks' | 'cacheKey'>,
      { asksForTasks }: Pick<McpConnection, 'asksForTasks'>,
      tool: string,
      list: () => Promise<JsonObject[]>,
    ): Promise<{ task?: { ttl: number } }> {
      if (!tasks || !asksForTasks) return {};
      let found = known.get(cacheKey);
      if (!found || Date.now() - found.at > FRESH_MS) {
        found = { at: Date.now(), names: new Set((await list()).filter(makesTasks).map(nameOf)) };
        known.set(cacheKey, found);
      }
      return found.names.has(tool) ? { task: { ttl: tasks.ttlMs } } : {};
    },
  };
}

const nameOf = ({ name }: JsonObject) => String(name);

function makesTasks({ execution }: JsonObject): boolean {
  return isRecord(execution) && ['optional', 'required'].includes(String(execution['taskSupport']));
}
