/** How far a replica is behind its primary, by positions in the write-ahead log ("16/B374D848"). */
export interface ReplicaFreshness {
  /** Notes where the primary's log ended at a time in milliseconds. */
  primaryAt(atMs: number, position: string): void;
  /** Notes how far the replica has replayed the log. */
  replicaAt(position: string): void;
  /** The age of the oldest noted position that the replica has not replayed, in milliseconds; 0 if there is none. */
  behindMs(nowMs: number): number;
}

/** Positions kept at most: a replica that is further behind is as useless. */
const MOST_POSITIONS = 60;

export function createReplicaFreshness(): ReplicaFreshness {
  let awaited: { atMs: number; position: bigint }[] = [];
  let replayed = -1n;
  const drop = () => {
    awaited = awaited.filter(({ position }) => position > replayed);
  };
  return {
    primaryAt(atMs, position) {
      if (awaited.length < MOST_POSITIONS) awaited.push({ atMs, position: parsePosition(position) });
      drop();
    },
    replicaAt(position) {
      replayed = parsePosition(position);
      drop();
    },
    behindMs: (nowMs) => (awaited[0] ? nowMs - awaited[0].atMs : 0),
  };
}

/** Returns a position of the log as a number. Throws `Error` for other texts. */
export function parsePosition(text: string): bigint {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) throw new Error(`${text} is no position in the log`);
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
