/**
 * Limits of the calls in flight of one process, which decide without a statement. The database counts those of all
 * processes.
 */
import type { Config } from '../../config';
import { MarketError } from '../../domain/errors';
import { createPlaces } from '../../kit/concurrency/shares';
import { findLongCalls } from '../../stores/calls/long-calls';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { DbPool } from '../../stores/db';

/** The error of a call for which there is no place now. */
export function limited(): MarketError {
  return new MarketError('concurrency_limited', { retryAfterSeconds: 1 });
}

/** Unpaid calls have this part of the places of a process. */
const UNPAID_PART = 1 / 4;
/** A buyer has at most 38% of the places, and less when others have some. */
const OF_BUYER = 1;
/** The agents of a developer have at most 61% of the places, and less when others have some. */
const OF_DEVELOPER = 4;

/** A call that needs a place of a process. `isUnpaid`: nothing is held for it. */
export interface PlacedCall {
  buyerUserId: string;
  developerUserId: string;
  isUnpaid: boolean;
}

export interface CallPlace {
  isUnpaid: boolean;
  /** Gives the place back that unpaid calls share: the call turned out to be paid for. */
  becomePaid(): void;
  leave(): void;
}

/**
 * The places of a process for calls that run, shared between the developers of the agents, the buyers, and unpaid and
 * paid calls (ADR 0202).
 */
export interface CallPlaces {
  readonly size: number;
  /** Undefined when the call must wait until others have ended. */
  enter(call: PlacedCall): CallPlace | undefined;
  isPast(call: PlacedCall): boolean;
}

export function createCallPlaces(most: number): CallPlaces {
  const all = createPlaces(most);
  const unpaid = createPlaces(Math.max(1, Math.floor(most * UNPAID_PART)));
  const tenantsOf = ({ buyerUserId, developerUserId }: PlacedCall) => [
    { name: `buyer ${buyerUserId}`, factor: OF_BUYER },
    { name: `developer ${developerUserId}`, factor: OF_DEVELOPER },
  ];
  const isPast = (call: PlacedCall): boolean => {
    const tenants = tenantsOf(call);
    return all.isPast(tenants) || (call.isUnpaid && unpaid.isPast(tenants));
  };
  return {
    get size() {
      return all.size;
    },
    isPast,
    enter(call) {
      if (isPast(call)) return undefined;
      const leaveAll = all.enter(tenantsOf(call));
      const leaveUnpaid = call.isUnpaid ? unpaid.enter(tenantsOf(call)) : undefined;
      const place: CallPlace = {
        isUnpaid: call.isUnpaid,
        becomePaid() {
          place.isUnpaid = false;
          leaveUnpaid?.();
        },
        leave() {
          leaveUnpaid?.();
          leaveAll?.();
        },
      };
      return place;
    },
  };
}

type PlacedVersion = Pick<ServingVersion, 'developerUserId' | 'freeTierCalls' | 'terms'>;

/** The place of a call whose version and price are not known yet. */
export interface Seat {
  /** The buyer has as many calls in flight as the limit, so a new call gets no place. */
  readonly isPast: boolean;
  /** Takes a place for a call of this version, instead of one that it took before. Throws `concurrency_limited`. */
  acquire(version: PlacedVersion): void;
  /** False if the call may run only if it is paid for, or could be. */
  readonly mayBeUnpaid: boolean;
  /** Records whether anything is held for the call, which was accepted. */
  accepted(isUnpaid: boolean): void;
  leave(): void;
}

/** Counts a call for its buyer. */
export function openSeat(places: CallPlaces, limit: InFlightLimit, buyerUserId: string): Seat {
  const counted = limit.enter(buyerUserId);
  let place: CallPlace | undefined;
  return {
    isPast: counted.isPast,
    acquire({ developerUserId, freeTierCalls, terms }) {
      if (counted.isPast) throw limited();
      place?.leave();
      const enter = (isUnpaid: boolean) => places.enter({ buyerUserId, developerUserId, isUnpaid });
      const mayBeFree = freeTierCalls > 0 || terms.maxCredits === 0;
      place = (mayBeFree ? enter(true) : undefined) ?? enter(false);
      if (!place) throw limited();
    },
    get mayBeUnpaid() {
      return place?.isUnpaid ?? false;
    },
    accepted(isUnpaid) {
      if (!isUnpaid) place?.becomePaid();
    },
    leave() {
      counted.leave();
      place?.leave();
    },
  };
}

/** Callers that wait for one call with the same idempotency key, and for all such calls of one buyer. */
const WAITERS_OF_CALL = 64;
const WAITERS_OF_BUYER = 128;

/** Bounds the callers that wait in this process for the call of another with the same key. Each keeps a connection. */
export interface CallWaiters {
  /** Returns the function that ends the wait. Throws `concurrency_limited`. */
  enter(invocationId: string, buyerUserId: string): () => void;
}

export function createCallWaiters(): CallWaiters {
  const ofCalls = createInFlightLimit(WAITERS_OF_CALL);
  const ofBuyers = createInFlightLimit(WAITERS_OF_BUYER);
  return {
    enter(invocationId, buyerUserId) {
      const entries = [ofCalls.enter(invocationId), ofBuyers.enter(buyerUserId)];
      const leave = () => entries.forEach((entry) => entry.leave());
      if (!entries.some(({ isPast }) => isPast)) return leave;
      leave();
      throw limited();
    },
  };
}

/**
 * Counts the calls of each buyer that this process admits or performs, so that a buyer past the limit is refused
 * without a statement. The database counts the calls of all processes when it accepts one.
 */
export interface InFlightLimit {
  /** Calls of all buyers. */
  readonly size: number;
  /** Counts a call. `isPast`: there were as many as the limit before it. `leave` ends the count, once. */
  enter(buyerUserId: string): { isPast: boolean; leave: () => void };
}

export function createInFlightLimit(most: number): InFlightLimit {
  const counts = new Map<string, number>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    enter(buyerUserId) {
      const before = counts.get(buyerUserId) ?? 0;
      counts.set(buyerUserId, before + 1);
      size += 1;
      let isIn = true;
      const leave = () => {
        if (!isIn) return;
        isIn = false;
        size -= 1;
        const left = (counts.get(buyerUserId) ?? 1) - 1;
        if (left > 0) counts.set(buyerUserId, left);
        else counts.delete(buyerUserId);
      };
      return { isPast: before >= most, leave };
    },
  };
}

/**
 * Returns the loop that keeps the database's count cheap behind a long snapshot
 * (docs/internals/statements.md#calls-in-flight). Several processes may run it.
 */
export const createLongCalls =
  ({ pool }: { pool: DbPool }) =>
  () =>
    findLongCalls(pool);

/** The settings that the database compares with the calls and jobs of a buyer and of an agent. */
export type AcceptLimits = Pick<
  Config,
  | 'MAX_IN_FLIGHT_PER_BUYER'
  | 'MAX_IN_FLIGHT_PER_AGENT'
  | 'MAX_IN_FLIGHT_UNPAID'
  | 'MAX_JOBS_PER_BUYER'
  | 'MAX_JOBS_PER_AGENT'
>;

/** The limits under which the database accepts a call of this version. */
export function limitsOf(
  config: AcceptLimits,
  { maxConcurrency, jobs }: Pick<ServingVersion, 'maxConcurrency' | 'jobs'>,
  mayBeUnpaid: boolean,
) {
  return {
    max_in_flight_buyer: config.MAX_IN_FLIGHT_PER_BUYER,
    max_in_flight_agent: config.MAX_IN_FLIGHT_PER_AGENT,
    max_in_flight_unpaid: mayBeUnpaid ? config.MAX_IN_FLIGHT_UNPAID : 0,
    ...(maxConcurrency !== null && { max_concurrency: maxConcurrency }),
    ...(jobs && { max_jobs_buyer: config.MAX_JOBS_PER_BUYER, max_jobs_agent: config.MAX_JOBS_PER_AGENT }),
  };
}
