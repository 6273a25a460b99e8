/**
 * Calls that wait to be enrolled together (ADR 0065, docs/internals/temporal.md#groups). A group begins when its oldest
 * call has waited for the whole window. It takes the calls that have ended, and those that run and have waited for half
 * a window, so that the next group begins half a window later. Younger calls that run will probably have ended by then.
 */
import type { GroupMember } from '../domain/calls/call-group';
import type { CallEndings } from '../services/calls/call-follower';

/** Calls that share a workflow at most: its history and its page list all of them. */
const MAX_MEMBERS = 256;

export interface WaitingCallsDeps {
  /** Longest wait of a call. */
  windowMs: number;
  /** Size of the names of a group at most, as JSON. */
  maxBytes: number;
  endingOf: CallEndings;
  now: () => number;
}

interface Waiting {
  member: GroupMember;
  since: number;
}

export function createWaitingCalls({ windowMs, maxBytes, endingOf, now }: WaitingCallsDeps) {
  /** In the order of their arrival. */
  const waiting = new Map<string, Waiting>();

  const isReady = ({ member, since }: Waiting, at: number): boolean =>
    at - since >= windowMs / 2 || endingOf(member.invocationId) !== undefined;

  return {
    add(member: GroupMember): void {
      waiting.set(member.invocationId, { member, since: now() });
    },
    /** Removes a call, which the caller enrols by itself. */
    remove({ invocationId }: GroupMember): void {
      waiting.delete(invocationId);
    },
    /** Removes the calls that can be enrolled, in groups of which the engine takes each. `Infinity` takes all. */
    collectReady(at: number): GroupMember[][] {
      const taken = [...waiting.values()].filter((call) => isReady(call, at)).map(({ member }) => member);
      for (const { invocationId } of taken) waiting.delete(invocationId);
      return groupsOf(taken, maxBytes);
    },
    /** Time until the wait of the oldest call ends; undefined when none waits. */
    nextInMs(): number | undefined {
      const [oldest] = waiting.values();
      return oldest && Math.max(0, Math.ceil(oldest.since + windowMs - now()));
    },
  };
}

/** Names of a group, as its search attribute: ids of the calls, agents and buyers. */
export const namesOf = (members: readonly GroupMember[]): string[] => [...new Set(members.flatMap(idsOf))];

const idsOf = ({ invocationId, agentId, buyerUserId }: GroupMember): string[] => [
  invocationId,
  agentId,
  buyerUserId,
];

/** Divides calls into groups of at most MAX_MEMBERS calls and `maxBytes` of names. */
function groupsOf(members: readonly GroupMember[], maxBytes: number): GroupMember[][] {
  const groups: GroupMember[][] = [];
  let group = createGroup(maxBytes);
  for (const member of members) {
    if (group.add(member)) continue;
    groups.push(group.members);
    group = createGroup(maxBytes);
    group.add(member);
  }
  if (group.members.length > 0) groups.push(group.members);
  return groups;
}

function createGroup(maxBytes: number) {
  const names = new Set<string>();
  /** Size of the names as JSON: `["a","b"]`. */
  let bytes = 1;
  const members: GroupMember[] = [];
  return {
    members,
    /** Adds a call. Returns false when the group is full. */
    add(member: GroupMember): boolean {
      const added = idsOf(member).filter((id) => !names.has(id));
      const size = added.reduce((sum, id) => sum + Buffer.byteLength(JSON.stringify(id)) + 1, bytes);
      if (members.length === MAX_MEMBERS || (members.length > 0 && size > maxBytes)) return false;
      for (const id of added) names.add(id);
      bytes = size;
      members.push(member);
      return true;
    },
  };
}
