/**
 * The tests of a buyer for the answer of a call (ADR 0425): read from any surface, checked before anything is held, and
 * applied to the answer once it matches the output schema of its agent.
 */
import {
  ACCEPTANCE_LIMITS,
  ACCEPTANCE_RECORD,
  type Acceptance,
  type AcceptanceRecord,
  acceptanceProblems,
  assertionText,
  isBeyondShare,
} from '../../../domain/calls/acceptance';
import { type FailureFacts, schemaFacts } from '../../../domain/calls/failure-facts';
import type { ValidateStep } from '../../../domain/calls/invocation-steps';
import { type ErrorCode, MarketError } from '../../../domain/errors';
import { asRecord } from '../../../domain/json-value';
import { canonicalJson, sha256Hex } from '../../../kit/json/canonical-json';
import type { SchemaPool } from '../../../kit/schemas/schema-pool';
import { failsManyBuyers, readAcceptanceRecord } from '../../../stores/calls/acceptances';
import type { DbPool } from '../../../stores/db';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { AnswerThreads } from './answer-threads';

type Loc = readonly (string | number)[];

/** Tests of valid form. */
export interface CallAcceptance {
  terms: Acceptance;
  /** SHA-256 of their canonical JSON (RFC 8785), in hex. */
  sha256: string;
  /** Their canonical JSON in ASCII, as the agent gets it in a header. */
  header: string;
  /** Where the caller wrote them. */
  loc: Loc;
}

/** The tests of a call that an agent gets, with the record of their buyer. */
export type KnownAcceptance = Pick<CallAcceptance, 'terms' | 'sha256' | 'header'> & AcceptanceRecord;

/** Reads tests. Throws `validation_failed` with every problem; undefined for none. */
export function readAcceptance(given: unknown, loc: Loc): CallAcceptance | undefined {
  if (given === undefined || given === null) return undefined;
  const problems = acceptanceProblems(given);
  if (problems.length > 0) throw malformed(loc, problems);
  const terms = given as Acceptance;
  const json = canonicalJson(terms);
  const header = json.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const { bytes } = ACCEPTANCE_LIMITS;
  if (header.length > bytes)
    throw malformed(loc, [
      {
        loc: [],
        msg: `must be at most ${bytes} bytes of JSON in ASCII (${header.length})`,
        type: 'maxLength',
      },
    ]);
  return { terms, sha256: sha256Hex(json), header, loc };
}

function malformed(loc: Loc, problems: { loc: Loc; msg: string; type: string }[]): MarketError {
  const [first] = problems;
  const name = loc.at(-1) ?? 'accept';
  const at = first?.loc.join('/');
  const message = `${name}${at ? `/${at}` : ''} ${first?.msg ?? 'is not valid'}.`;
  const detail = problems.map((one) => ({ ...one, loc: [...loc, ...one.loc] }));
  return new MarketError('validation_failed', { message, detail });
}

/** What the checks of tests need. */
export interface AcceptanceDeps {
  pool: DbPool;
  schemas: Pick<SchemaPool, 'admit'>;
  config: { ACCEPTANCE_MOST_FAILED_PERCENT: number };
}

/** The buyer of a call, and who set its tests: the caller, also if the issuer of a mandate pays. */
export interface AcceptanceRequest {
  accept?: CallAcceptance | undefined;
  buyerUserId: string;
  mandate?: { item: { caller_user_id: string } } | undefined;
}

export const authorOf = ({ buyerUserId, mandate }: AcceptanceRequest): string =>
  mandate?.item.caller_user_id ?? buyerUserId;

/**
 * Checks the tests of a call before anything is held. Throws `acceptance_unsupported` if the agent takes none,
 * `unsafe_schema` for a schema that could not be applied, and `acceptance_limited` if too many of the last tests of the
 * caller failed.
 */
export async function requireAcceptance(
  { pool, schemas, config }: AcceptanceDeps,
  request: AcceptanceRequest,
  version: Pick<ServingVersion, 'acceptsTests' | 'agentId'>,
): Promise<KnownAcceptance | undefined> {
  const { accept } = request;
  if (!accept) return undefined;
  if (!version.acceptsTests)
    throw new MarketError('acceptance_unsupported', {
      message: `${version.agentId} takes no tests of its answer (capabilities.accepts_tests). Leave accept out, or choose an agent that does.`,
      detail: [{ loc: [...accept.loc], msg: 'is not taken by this agent', type: 'acceptance_unsupported' }],
    });
  const author = authorOf(request);
  const record = await readAcceptanceRecord(pool, author);
  const most = config.ACCEPTANCE_MOST_FAILED_PERCENT;
  if (isBeyondShare(record, most))
    throw new MarketError('acceptance_limited', {
      message: `${record.failed} of your last ${record.judged} tested answers failed your tests, more than ${most} percent. Call without accept; failures count for ${ACCEPTANCE_RECORD.days} days.`,
    });
  const { terms, sha256, header } = accept;
  if (terms.schema !== undefined) {
    const problems = await schemas.admit(terms.schema, author);
    const detail = problems.map((one) => ({ ...one, loc: [...accept.loc, 'schema', ...one.loc] }));
    if (detail.length > 0) throw new MarketError('unsafe_schema', { detail });
  }
  return { terms, sha256, header, ...record };
}

interface AcceptanceTestDeps {
  schemas: Pick<SchemaPool, 'validate'>;
  answerThreads: Pick<AnswerThreads, 'perform'>;
}

/** What the tests read of a call, and where they note which of them failed. */
interface TestedCall {
  buyerUserId: string;
  version: Pick<ServingVersion, 'agentId'>;
  acceptance?: KnownAcceptance | undefined;
  failure: FailureFacts | null;
}

interface TestedOutput {
  json: Buffer;
  isToolError: boolean;
  truncatedBy: unknown;
}

/** The test that an answer failed: in words, and where. */
interface FailedTest {
  words: string;
  loc: readonly (string | number)[];
  msg: string;
}

/**
 * The first test that the answer of a call fails; undefined if it passes. An answer that was cut off, and the failure
 * of a tool, are not tested.
 */
async function failedTestOf(
  { schemas, answerThreads }: AcceptanceTestDeps,
  { acceptance, buyerUserId }: TestedCall,
  output: TestedOutput,
): Promise<FailedTest | undefined> {
  if (!acceptance || !isTested(output)) return undefined;
  const { schema, assertions = [] } = acceptance.terms;
  if (schema !== undefined) {
    const json = JSON.stringify(schema);
    const verdict = await schemas.validate(`accept:${sha256Hex(json)}`, json, output.json);
    if (!verdict.valid) {
      const { loc = [], msg = 'does not match' } = verdict.problems[0] ?? {};
      return { words: `schema (/${loc.join('/')} ${msg})`, loc, msg };
    }
  }
  if (assertions.length === 0) return undefined;
  const { failed } = await answerThreads.perform(
    buyerUserId,
    { kind: 'acceptance', assertions },
    output.json,
  );
  const assertion = failed === null ? undefined : assertions[failed];
  if (failed === null || !assertion) return undefined;
  const { pointer, op } = assertion;
  const msg = `fails ${assertionText(failed, assertion)}`;
  return { words: assertionText(failed, assertion), loc: pointer.split('/').slice(1), msg: `${msg}: ${op}` };
}

/**
 * Applies the tests of a call to its answer. Returns the result of a call that fails one; undefined if it passes.
 * `countForAgent` notes a failure that counts against the agent.
 */
export async function testAnswer(
  deps: AcceptanceTestDeps & { pool: DbPool },
  call: TestedCall,
  output: TestedOutput,
  countForAgent: () => void,
): Promise<ValidateStep | undefined> {
  const test = await failedTestOf(deps, call, output);
  if (!test) return undefined;
  if (await failsManyBuyers(deps.pool, call.version.agentId, call.buyerUserId)) countForAgent();
  const { schemaPath } = schemaFacts(test);
  call.failure = { phase: 'acceptance', status: 200, words: null, schemaPath, problem: test.words };
  return { kind: 'failed', code: 'acceptance_failed' };
}

/** Whether the tests of a call apply to its answer. */
export const isTested = ({ truncatedBy, isToolError }: Pick<TestedOutput, 'truncatedBy' | 'isToolError'>) =>
  !truncatedBy && !isToolError;

/** The status by which an agent declines the tests of a call. An A2A agent may reject the task instead. */
const DECLINED = 412;

/** A refusal of an agent; by `acceptance_declined` if it has declined the tests, and not the call itself. */
export function asDeclined<R extends { code: ErrorCode; status?: number | undefined; isRejected?: true }>(
  acceptance: KnownAcceptance | undefined,
  refusal: R,
): R {
  const declines = refusal.code === 'agent_error' && (refusal.status === DECLINED || refusal.isRejected);
  return acceptance && declines ? { ...refusal, code: 'acceptance_declined' } : refusal;
}

/** Larger results of tools are no refusals. */
const MOST_REFUSAL_BYTES = 64 * 1024;

/** Whether the failed result of an MCP tool declines the tests of a call. */
export function declinesBy(result: Buffer): boolean {
  if (result.length > MOST_REFUSAL_BYTES) return false;
  const { _meta: meta } = asRecord(JSON.parse(result.toString()));
  return asRecord(meta)[DECLINED_META] === true;
}
const DECLINED_META = 'acceptance/declined';

/** The headers with which an agent gets the tests of a call, and the record of who set them. */
export function acceptanceHeaders(acceptance: KnownAcceptance | undefined): Record<string, string> {
  if (!acceptance) return {};
  const { header, sha256, judged, failed } = acceptance;
  return {
    'x-acceptance': header,
    'x-acceptance-sha256': sha256,
    'x-buyer-acceptance': `judged=${judged}, failed=${failed}`,
  };
}
