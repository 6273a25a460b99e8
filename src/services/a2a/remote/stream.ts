/**
 * The streams of A2A agents: each event is a reply, a status of the task, or a part of an artifact. Text of artifacts
 * is delivered as it comes; the output at the end is that of all of them.
 */
import { isRecord } from '../../../domain/json-value';
import type { EgressStream } from '../../../egress/answer';
import { decodedItems, splitEvents } from '../../../kit/streams/event-splitter';
import { agentFailure, BETWEEN_ARTIFACTS, type Json, type Output, outputOf } from './parts';
import {
  documentOf,
  readRemoteReply,
  type RemoteReply,
  type RemoteTask,
  resultIn,
  saidIn,
  taskOf,
} from './reply';

export type RemoteEvent =
  | { kind: 'reply'; reply: RemoteReply }
  /** `said`: what the agent says with the status. */
  | { kind: 'status'; task: RemoteTask; said: Output }
  | { kind: 'artifact'; taskId: unknown; id: string; isMore: boolean; output: Output };

/** Longest event of a stream, in characters. */
const LONGEST_EVENT = 4 * 1024 * 1024;

/** Reads one event. `id`: of the JSON-RPC request. */
export function readRemoteEvent(value: unknown, id: number | undefined): RemoteEvent {
  const result = isRecord(value) && !isRecord(value['error']) ? resultIn(value, id) : undefined;
  const status = updateIn(result, 'statusUpdate', 'status-update');
  const artifact = updateIn(result, 'artifactUpdate', 'artifact-update');
  if (status) {
    const task = taskOf(status['taskId'], status['contextId'], status['status']);
    return { kind: 'status', task, said: outputOf(saidIn(status['status'])) };
  }
  if (!artifact) return { kind: 'reply', reply: readRemoteReply(value, id) };
  const { taskId, artifact: given, append } = artifact;
  if (!isRecord(given)) throw agentFailure('not an artifact');
  const { artifactId, parts } = given;
  return {
    kind: 'artifact',
    taskId,
    id: JSON.stringify(artifactId ?? null),
    isMore: append === true,
    output: outputOf([parts]),
  };
}

/** An update of 1.0 by its member, of 0.3 by its kind. */
function updateIn(result: unknown, member: string, kind: string): Json | undefined {
  if (!isRecord(result)) return undefined;
  const update = result['kind'] === kind ? result : result[member];
  return isRecord(update) ? update : undefined;
}

/** A reply that ends a stream: an answer, or the task as it stands. */
type StreamEnd = Exclude<RemoteReply, { kind: 'refused' }>;

/**
 * Yields the text of a stream, and returns how it ended. A stream that ends before its task returns the task, which is
 * asked about then. `onTask` hears of the task as soon as it is known.
 */
export async function* readRemoteStream(
  stream: EgressStream,
  read: (data: string) => Promise<RemoteEvent>,
  onTask: (task: RemoteTask) => void,
): AsyncGenerator<string, StreamEnd | Extract<RemoteReply, { kind: 'refused' }>, undefined> {
  const artifacts = createArtifacts();
  let known: RemoteTask | undefined;
  const own = (taskId: unknown) => {
    if (known !== undefined && taskId !== known.id) throw agentFailure('its stream speaks of another task');
  };
  for await (const items of decodedItems(stream.body, splitEvents(LONGEST_EVENT))) {
    for (const data of items) {
      if (data.trim() === '') continue;
      const event = await read(data);
      if (event.kind === 'artifact') {
        own(event.taskId);
        yield* artifacts.add(event);
        continue;
      }
      const task =
        event.kind === 'status' ? event.task : event.reply.kind === 'refused' ? null : event.reply.task;
      if (task) {
        own(task.id);
        known = task;
        onTask(task);
      }
      if (event.kind === 'reply' && event.reply.kind !== 'task') {
        if (event.reply.kind === 'answer') yield* artifacts.rest(event.reply.json);
        return event.reply;
      }
      if (task?.status === 'completed' && event.kind === 'status') {
        const output = artifacts.output() ?? event.said;
        if (!artifacts.output() && output.text !== '') yield output.text;
        return { kind: 'answer', task, ...documentOf(output) };
      }
      if (task && task.status !== 'working') return { kind: 'task', task };
    }
  }
  if (!known) throw agentFailure('the stream ended before it said anything');
  return { kind: 'task', task: known };
}

/** Collects the artifacts of a stream. */
function createArtifacts() {
  const kept = new Map<string, Output>();
  let delivered = '';
  const all = (): Output | undefined => (kept.size === 0 ? undefined : joined([...kept.values()]));
  return {
    output: all,
    *add({ id, isMore, output }: Extract<RemoteEvent, { kind: 'artifact' }>): Generator<string> {
      const before = kept.get(id);
      kept.set(id, before && isMore ? merged(before, output) : output);
      if (output.text === '') return;
      const text =
        delivered === '' || (before && isMore) ? output.text : `${BETWEEN_ARTIFACTS}${output.text}`;
      delivered += text;
      yield text;
    },
    /** The text of an answer that was not delivered before. */
    *rest(json: Buffer): Generator<string> {
      const { text } = JSON.parse(json.toString()) as Output;
      if (text.startsWith(delivered) && text.length > delivered.length) yield text.slice(delivered.length);
    },
  };
}

function merged(before: Output, more: Output): Output {
  const data = [...(before.data ?? []), ...(more.data ?? [])];
  const files = [...(before.files ?? []), ...(more.files ?? [])];
  return {
    text: before.text + more.text,
    ...(data.length > 0 && { data }),
    ...(files.length > 0 && { files }),
  };
}

function joined(outputs: readonly Output[]): Output {
  const texts = outputs.map(({ text }) => text).filter((text) => text !== '');
  const whole = outputs.reduce(merged, { text: '' });
  return { ...whole, text: texts.join(BETWEEN_ARTIFACTS) };
}
