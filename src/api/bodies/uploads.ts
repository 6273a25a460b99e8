/**
 * Limits the bodies that this process receives at a time. Bytes count when they arrive, so a declared length costs
 * nothing. Small bodies have a pool of their own, so that large uploads cannot keep them out. A large body reserves its
 * whole length once it is past `SMALL_BODY_BYTES`, and waits for it in the line of its owners. An owner may hold at
 * most `OWNER_SHARE` of what is free: however many owners upload, room is left for the next one.
 */
import { MarketError } from '../../domain/errors';

export const SMALL_BODY_BYTES = 256 * 1024;
/** An owner may hold this share of the bytes that are still free, as in dynamic thresholds of switches. */
const OWNER_SHARE = 0.5;

export interface UploadLimits {
  /** Bytes of large bodies, and of small bodies, that are held at a time. */
  largeBytes: number;
  smallBytes: number;
  /** In each window of `windowMs`, at least `windowBytes` of a body must arrive. */
  windowMs: number;
  windowBytes: number;
  /** How long a large body may wait for its turn. */
  patienceMs: number;
}

export const UPLOAD_LIMITS: UploadLimits = {
  largeBytes: 192 * 1024 * 1024,
  smallBytes: 64 * 1024 * 1024,
  windowMs: 10_000,
  windowBytes: 40 * 1024,
  patienceMs: 55_000,
};

/** A body that is being received, or being parsed. */
export interface Upload {
  /**
   * Counts bytes of the body's first part. Throws `concurrency_limited` when the small bodies of an owner are too many.
   */
  arrived: (bytes: number) => void;
  /**
   * Reserves the length of a large body. Resolves in the owners' turn. Rejects with `payload_too_large` if no free
   * process could hold the body, and with `concurrency_limited` after `patienceMs`.
   */
  reserve: (bytes: number) => Promise<void>;
  /** Ends the lowest rate: the body is complete. */
  complete: () => void;
  close: () => void;
}

export interface Uploads {
  /** Begins a body of the owners (`account/…`, `address/…`). `tooSlow` is called when the body arrives too slowly. */
  open: (owners: readonly string[], tooSlow: (error: MarketError) => void) => Upload;
  /** Bytes that are held now, for tests and metrics. */
  readonly heldBytes: number;
}

interface Waiter {
  owners: readonly string[];
  bytes: number;
  go: () => void;
}

export function createUploads(limits: UploadLimits = UPLOAD_LIMITS): Uploads {
  const small = createPool(limits.smallBytes);
  const large = createPool(limits.largeBytes);
  const line = createLine(large, limits.patienceMs);

  return {
    get heldBytes() {
      return small.used + large.used;
    },
    open(owners, tooSlow) {
      let smallHeld = 0;
      let largeHeld = 0;
      let isOpen = true;
      const rate = watchRate(limits, tooSlow);
      return {
        arrived(bytes) {
          // A refused client may go on sending until its connection is destroyed; what it sends is discarded.
          if (!isOpen) return;
          rate.arrived(bytes);
          if (largeHeld > 0) return;
          if (!small.acquire(owners, bytes)) throw crowded();
          smallHeld += bytes;
        },
        async reserve(bytes) {
          rate.pause();
          await line.reserve(owners, bytes);
          if (!isOpen) {
            large.give(owners, bytes);
            line.advance();
            return;
          }
          largeHeld = bytes;
          small.give(owners, smallHeld);
          smallHeld = 0;
          rate.resume();
        },
        complete: rate.stop,
        close() {
          isOpen = false;
          rate.stop();
          small.give(owners, smallHeld);
          large.give(owners, largeHeld);
          smallHeld = largeHeld = 0;
          line.advance();
        },
      };
    },
  };
}

/** Reservations of large bodies that wait, in the order in which they came. */
function createLine(large: Pool, patienceMs: number) {
  const waiters = new Set<Waiter>();

  /** Admits waiters in their order. A waiter that does not fit yet holds back the later ones of its owners only. */
  function advance(): void {
    const blocked = new Set<string>();
    for (const waiter of waiters) {
      if (!waiter.owners.some((owner) => blocked.has(owner)) && large.acquire(waiter.owners, waiter.bytes)) {
        waiters.delete(waiter);
        waiter.go();
      } else {
        for (const owner of waiter.owners) blocked.add(owner);
      }
    }
  }

  function reserve(owners: readonly string[], bytes: number): Promise<void> {
    const hasLine = [...waiters].some((waiter) => waiter.owners.some((owner) => owners.includes(owner)));
    if (!hasLine && large.acquire(owners, bytes)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        waiters.delete(waiter);
        reject(crowded());
        advance();
      }, patienceMs);
      const go = () => {
        clearTimeout(late);
        resolve();
      };
      const waiter: Waiter = { owners, bytes, go };
      waiters.add(waiter);
    });
  }

  return { reserve, advance };
}

type Pool = ReturnType<typeof createPool>;

/** Bytes of a pool, in all and by owner. */
function createPool(maxBytes: number) {
  const held = new Map<string, number>();
  let used = 0;
  return {
    get used() {
      return used;
    },
    acquire(owners: readonly string[], bytes: number): boolean {
      const share = (maxBytes - used) * OWNER_SHARE;
      if (owners.some((owner) => (held.get(owner) ?? 0) + bytes > share)) return false;
      for (const owner of owners) held.set(owner, (held.get(owner) ?? 0) + bytes);
      used += bytes;
      return true;
    },
    give(owners: readonly string[], bytes: number): void {
      used -= bytes;
      for (const owner of owners) {
        const left = (held.get(owner) ?? 0) - bytes;
        if (left > 0) held.set(owner, left);
        else held.delete(owner);
      }
    },
  };
}

/**
 * Calls `tooSlow` when a window passes in which too little arrived. Time in which the body waits for us does not count.
 */
function watchRate(
  { windowMs, windowBytes }: UploadLimits,
  tooSlow: (error: MarketError) => void,
): { arrived: (bytes: number) => void; pause: () => void; resume: () => void; stop: () => void } {
  let inWindow = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearInterval(timer);
  const resume = () => {
    stop();
    inWindow = 0;
    timer = setInterval(() => {
      if (inWindow < windowBytes) {
        stop();
        tooSlow(slow(windowBytes / windowMs));
      }
      inWindow = 0;
    }, windowMs);
  };
  resume();
  return { arrived: (bytes) => void (inWindow += bytes), pause: stop, resume, stop };
}

function crowded(): MarketError {
  return new MarketError('concurrency_limited', {
    message: 'Too many large uploads at once. Retry shortly.',
    retryAfterSeconds: 1,
  });
}

function slow(bytesPerMs: number): MarketError {
  return new MarketError('request_timeout', {
    message: `The body arrived more slowly than ${Math.ceil(bytesPerMs)} kB per second.`,
  });
}
