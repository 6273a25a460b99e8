/** What `market dev` prints about calls, jobs and their answers, with each deviation from the manifest. */
import { readJobTaken } from '../../domain/jobs/job-taken';
import type { FieldProblem } from '../../domain/errors';
import { oneLine } from '../terminal/terminal-text';

/** What the manifest promises. A check returns what is wrong with an input or an output; empty if it matches. */
export interface ManifestChecks {
  input: (value: unknown) => FieldProblem[];
  output: (value: unknown) => FieldProblem[];
  /** Whether `capabilities.jobs` is declared. */
  takesJobs: boolean;
}

/** A request of the marketplace, and what the agent answered. */
export interface SeenCall {
  /** Method, path, status and duration. */
  line: string;
  method: string;
  status: number;
  input: Buffer;
  /** Undefined for a stream. */
  output: Buffer | undefined;
  /** The address of the request, and the headers of a 202. */
  url: string;
  header: (name: string) => string | undefined;
  /** Whether the marketplace signed the request. It signs those for the answers of jobs, too. */
  isSigned: boolean;
}

/** The line of one call, and a line for each deviation. */
export function callLine(checks: ManifestChecks, call: SeenCall): string {
  const isAsked = call.method === 'GET' && call.isSigned;
  if (isAsked && call.status === 202) return `${call.line}  the job goes on`;
  if (isAsked && call.status === 200) return `${call.line}  ${outputLine(checks, call.output)}`;
  if (call.method !== 'POST' || (call.status !== 200 && call.status !== 202)) return call.line;
  const problems = problemsOf(call.input, checks.input);
  if (problems.length > 0)
    return `${call.line}  accepted an input that does not match input_schema\n${linesOf(problems)}`;
  if (call.status === 202) return `${call.line}  ${takenLine(checks, call)}`;
  return `${call.line}  ${outputLine(checks, call.output)}`;
}

/** What becomes of an answer. */
export function outputLine(checks: Pick<ManifestChecks, 'output'>, output: Buffer | undefined): string {
  if (output === undefined) return 'streamed';
  const problems = problemsOf(output, checks.output);
  if (problems.length === 0) return 'matches output_schema';
  return `the answer does not match output_schema: buyers get a refund\n${linesOf(problems)}`;
}

/** What becomes of a call that the agent has answered with 202. */
function takenLine({ takesJobs }: ManifestChecks, { header, url }: SeenCall): string {
  if (!takesJobs)
    return '202, but the manifest declares no capabilities.jobs: buyers get a refund (agent_error)';
  const taken = readJobTaken(header, url);
  if (!taken)
    return `Location ${oneLine(header('location') ?? '')} has another origin than endpoint.url: buyers get a refund (agent_error)`;
  if (taken.location === null) return 'taken as a job: the agent calls its answer back';
  return `taken as a job: the agent is asked at ${oneLine(new URL(taken.location).pathname)}`;
}

function problemsOf(body: Buffer, check: (value: unknown) => FieldProblem[]): FieldProblem[] {
  try {
    return check(JSON.parse(body.toString()));
  } catch {
    return [{ loc: [], msg: 'is not JSON', type: 'malformed_json' }];
  }
}

const linesOf = (problems: readonly FieldProblem[]) =>
  problems.map(({ loc, msg }) => oneLine(`    ${loc.join('.') || 'the body'}: ${msg}`)).join('\n');
