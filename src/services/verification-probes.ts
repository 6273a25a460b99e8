/** What the live probe of a version is, by the kind of its agent. Each looks like a buyer's call. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MarketError } from '../domain/errors';
import { PROBE_COUNT } from '../domain/verification';
import { newId, newTraceId } from '../kit/ids';
import type { SchemaPool } from '../kit/schema-pool';
import type { ServingVersion } from '../stores/serving-versions';
import {
  type ConformanceEvidence,
  type ProbeAnswer,
  probeConformance,
} from '../verification/conformance-probe';
import { BLANK_INPUT, reached, toolsFound } from '../verification/reachability-probe';
import type { AgentCaller } from './agent-caller';

export interface VerificationProbeDeps {
  agents: AgentCaller;
  schemas: SchemaPool;
}

/** Throws for faults of ours only. */
export async function probeVersion(
  deps: VerificationProbeDeps,
  version: ServingVersion,
  signal: AbortSignal,
): Promise<ConformanceEvidence> {
  const pause = (ms: number) => sleep(ms, undefined, { signal });
  const conforms = () => Promise.resolve([]);
  const newCall = () => ({ invocationId: newId('inv'), version, traceId: newTraceId(), hops: 0 });
  const call = (input: Buffer) => deps.agents.call(newCall(), input, { signal });
  if (version.kind === 'mcp') {
    const list = () => listTools(() => deps.agents.listTools(newCall(), { signal }));
    return probeConformance({ call: list, check: conforms, pause }, [BLANK_INPUT], 1);
  }
  if (version.inputSchema === null) {
    const reach = async (input: Buffer) => reached(await call(input));
    return probeConformance({ call: reach, check: conforms, pause }, [BLANK_INPUT], 1);
  }
  const check = (answer: Buffer) => problemsOf(deps.schemas, version, answer);
  const seed = Number.parseInt(version.versionId.slice(-7), 16);
  const inputs = await deps.schemas.sample(version.inputSchema, { count: PROBE_COUNT, seed });
  return probeConformance({ call, check, pause }, inputs, PROBE_COUNT);
}

async function problemsOf(schemas: SchemaPool, version: ServingVersion, answer: Buffer) {
  const { versionId, outputSchema } = version;
  if (outputSchema === null) return [];
  const verdict = await schemas.validate(`${versionId}:output`, outputSchema, answer);
  return verdict.valid ? [] : verdict.problems;
}

async function listTools(list: () => Promise<readonly unknown[]>): Promise<ProbeAnswer> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    return toolsFound(await list(), durationMs());
  } catch (error) {
    if (error instanceof MarketError) return { ok: false, code: error.code, durationMs: durationMs() };
    throw error;
  }
}
