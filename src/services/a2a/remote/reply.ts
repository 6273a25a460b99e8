/**
 * The replies of A2A agents: to a message, about a task, and in a stream. They depend on the message alone, so a thread
 * reads large ones. Both bindings and both revisions are read by their members.
 */
import type { AnswerFindings } from '../../../domain/calls/answer-findings';
import { lineOf } from '../../../domain/calls/failure-facts';
import { asRecord, isRecord } from '../../../domain/json-value';
import { canonicalJson, sha256Hex } from '../../../kit/json/canonical-json';
import { divideLinked, type LinkedFile } from './linked-file';
import { agentFailure, type Json, type Output, outputOf, textOf } from './parts';

export type TaskStatus =
  'working' | 'completed' | 'failed' | 'canceled' | 'rejected' | 'input_required' | 'auth_required';

export interface RemoteTask {
  id: string;
  contextId: string | null;
  status: TaskStatus;
  /** What the agent says of it, as one line. */
  message: string | null;
  /** The id and the text of what it asks. */
  asks?: { id: string; prompt: string };
}

/** The JSON of an answer, and its digest. `linked`: its files that are still to be fetched. */
export interface Document {
  json: Buffer;
  sha256: string;
  found?: AnswerFindings;
  linked?: LinkedFile[];
}

/** An answer that is there, or a task without one; `task` is null for a message. */
export type RemoteReply =
  | ({ kind: 'answer'; task: RemoteTask | null } & Document)
  | { kind: 'task'; task: RemoteTask }
  | { kind: 'refused'; code: number | null; message: string | null };

const LONGEST_ID = 1_024;
const LONGEST_MESSAGE = 300;
const LONGEST_PROMPT = 2_000;

/** Reads the response to a request. `id`: of the JSON-RPC request; undefined for HTTP+JSON. */
export function readRemoteReply(value: unknown, id: number | undefined): RemoteReply {
  if (!isRecord(value)) throw agentFailure('not an object');
  if (isRecord(value['error'])) return refusalIn(value['error']);
  return readResult(resultIn(value, id));
}

/** The result in a response of JSON-RPC; a response of HTTP+JSON is the result. */
export function resultIn(value: Json, id: number | undefined): unknown {
  if (id === undefined) return value;
  if (value['jsonrpc'] !== '2.0' || value['id'] !== id) throw agentFailure('the answer to another request');
  return value['result'];
}

function refusalIn({ code, message }: Json): RemoteReply {
  const words = typeof message === 'string' ? lineOf(message, LONGEST_MESSAGE) : null;
  return { kind: 'refused', code: typeof code === 'number' ? code : null, message: words };
}

/** 1.0 names what it is by the member, 0.3 by `kind`. A task has a status, and a message has none. */
function readResult(result: unknown): RemoteReply {
  const given = asRecord(result);
  const message = given['message'] ?? given['msg'];
  if (isRecord(given['task'])) return readTask(given['task']);
  if (isRecord(given['status'])) return readTask(given);
  if (isRecord(message)) return answerOf(null, [message['parts'] ?? message['content']]);
  if (Array.isArray(given['parts'])) return answerOf(null, [given['parts']]);
  throw agentFailure('neither a message nor a task');
}

function answerOf(task: RemoteTask | null, parts: unknown[]): RemoteReply {
  return { kind: 'answer', task, ...documentOf(outputOf(parts)) };
}

export function documentOf(whole: Output): Document {
  const { output, linked } = divideLinked(whole);
  const json = Buffer.from(JSON.stringify(output));
  return { json, sha256: sha256Hex(canonicalJson(output)), ...(linked.length > 0 && { linked }) };
}

function readTask(task: Json): RemoteReply {
  const { artifacts = [] } = task;
  const known = taskOf(task['id'], task['contextId'], task['status']);
  if (known.status !== 'completed') return { kind: 'task', task: known };
  if (!Array.isArray(artifacts)) throw agentFailure('artifacts are no list');
  const lists = artifacts.map((artifact) => asRecord(artifact)['parts']);
  return answerOf(known, lists.length > 0 ? lists : saidIn(task['status']));
}

/** An agent without artifacts has its answer in the message of the status. */
export function saidIn(status: unknown): unknown[] {
  const { message, update } = asRecord(status);
  const parts = partsIn(message ?? update);
  return parts === undefined ? [] : [parts];
}

const partsIn = (message: unknown): unknown => asRecord(message)['parts'] ?? asRecord(message)['content'];

export function taskOf(id: unknown, contextId: unknown, status: unknown): RemoteTask {
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID)
    throw agentFailure('not the id of a task');
  const { state, message, update, timestamp } = asRecord(status);
  const known = statusOf(state);
  const said = message ?? update;
  const parts = partsIn(said);
  const text = parts === undefined ? '' : textOf(parts);
  const context = typeof contextId === 'string' && contextId !== '' && contextId.length <= LONGEST_ID;
  const { messageId } = asRecord(said);
  const mark = JSON.stringify([messageId ?? timestamp, text]);
  return {
    id,
    contextId: context ? contextId : null,
    status: known,
    message: lineOf(text, LONGEST_MESSAGE),
    ...(known === 'input_required' && {
      asks: { id: `ask_${sha256Hex(mark).slice(0, 32)}`, prompt: promptOf(text) },
    }),
  };
}

/** A prompt has at most so many characters, and none that cannot be stored. */
function promptOf(text: string): string {
  const letters = [...text.replaceAll('\u0000', ' ').toWellFormed().trim()];
  if (letters.length === 0) return 'The agent asks for more input.';
  return letters.length > LONGEST_PROMPT
    ? `${letters.slice(0, LONGEST_PROMPT - 1).join('')}…`
    : letters.join('');
}

const STATUSES: Readonly<Record<string, TaskStatus | undefined>> = {
  submitted: 'working',
  working: 'working',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
  cancelled: 'canceled',
  rejected: 'rejected',
  input_required: 'input_required',
  auth_required: 'auth_required',
};

function statusOf(state: unknown): TaskStatus {
  const name = String(state)
    .toLowerCase()
    .replace(/^task_state_/, '')
    .replaceAll('-', '_');
  const known = Object.hasOwn(STATUSES, name) ? STATUSES[name] : undefined;
  if (!known) throw agentFailure('not the state of a task');
  return known;
}
