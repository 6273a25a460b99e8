import { createCallPlaces, createCallWaiters, createInFlightLimit, openSeat } from './in-flight-limit';
import { priceTerms } from '../../domain/catalogue/pricing';

const MOST = 64;
const call = (buyerUserId: string, developerUserId: string, isUnpaid: boolean) => ({
  buyerUserId,
  developerUserId,
  isUnpaid,
});
const version = (developerUserId: string, freeTierCalls: number, credits = 1) => ({
  developerUserId,
  freeTierCalls,
  terms: priceTerms({ model: 'per_call', credits_per_call: credits, free_tier_calls: freeTierCalls }),
});

describe('the places of a process', () => {
  it('are a quarter for unpaid calls together, and less for each buyer and developer', () => {
    const places = createCallPlaces(MOST);
    const enterAll = (buyer: string, developer: string) => {
      let count = 0;
      while (places.enter(call(buyer, developer, true))) count += 1;
      return count;
    };
    expect(enterAll('poor 1', 'developer 1')).toBeLessThan(MOST / 8);
    for (let n = 2; n < 100; n += 1) enterAll(`poor ${n}`, 'developer 1');
    expect(places.size).toBeLessThan((MOST / 4) * 0.7);
    expect(enterAll('poor 1', 'developer 2')).toBe(0);
    expect(enterAll('newcomer', 'developer 2')).toBeGreaterThan(0);
    for (let n = 0; n < 100; n += 1) enterAll(`many ${n}`, `developer ${n}`);
    expect(places.size).toBe(MOST / 4);
    expect(places.enter(call('paying', 'developer 3', false))).toBeDefined();
  });

  it('are at most two thirds for paid calls of the agents of one developer', () => {
    const places = createCallPlaces(MOST);
    for (let n = 0; n < 2 * MOST; n += 1) places.enter(call(`buyer ${n}`, 'busy', false));
    expect(places.size).toBeLessThan((MOST * 2) / 3);
    expect(places.isPast(call('another', 'busy', false))).toBe(true);
    expect(places.isPast(call('another', 'other', false))).toBe(false);
  });

  it('are released once, also for a call that turned out to be paid', () => {
    const places = createCallPlaces(MOST);
    const entered = Array.from({ length: MOST / 8 }, () => places.enter(call('poor', 'developer', true)));
    expect(places.isPast(call('poor', 'developer', true))).toBe(true);
    entered[0]?.becomePaid();
    expect(places.isPast(call('poor', 'developer', true))).toBe(false);
    for (const place of entered) {
      place?.leave();
      place?.leave();
    }
    expect(places.size).toBe(0);
  });
});

describe('the seat of a call', () => {
  it('is that of the version that serves at last', () => {
    const places = createCallPlaces(MOST);
    const seat = openSeat(places, createInFlightLimit(MOST), 'buyer');
    seat.acquire(version('developer', 5));
    expect(seat.mayBeUnpaid).toBe(true);
    seat.acquire(version('developer', 0));
    expect([seat.mayBeUnpaid, places.size]).toEqual([false, 1]);
    seat.acquire(version('developer', 0, 0));
    expect([seat.mayBeUnpaid, places.size]).toEqual([true, 1]);
    seat.leave();
    expect(places.size).toBe(0);
  });

  it('must be paid for when unpaid calls have no place left', () => {
    const places = createCallPlaces(MOST);
    while (places.enter(call('buyer', 'developer', true)));
    const seat = openSeat(places, createInFlightLimit(MOST), 'buyer');
    seat.acquire(version('developer', 5));
    expect(seat.mayBeUnpaid).toBe(false);
  });

  it('is counted for its buyer until it leaves, and refused beyond the limit of the buyer', () => {
    const places = createCallPlaces(MOST);
    const limit = createInFlightLimit(1);
    const first = openSeat(places, limit, 'buyer');
    first.acquire(version('developer', 0));
    const second = openSeat(places, limit, 'buyer');
    expect([first.isPast, second.isPast]).toEqual([false, true]);
    expect(() => second.acquire(version('developer', 0))).toThrow(
      expect.objectContaining({ code: 'concurrency_limited' }),
    );
    second.leave();
    first.leave();
    first.leave();
    expect([limit.size, places.size]).toEqual([0, 0]);
    expect(openSeat(places, limit, 'buyer').isPast).toBe(false);
  });

  it('is refused when the process has no place for the developer', () => {
    const places = createCallPlaces(MOST);
    for (let n = 0; n < MOST; n += 1) places.enter(call(`buyer ${n}`, 'busy', false));
    expect(() => openSeat(places, createInFlightLimit(MOST), 'buyer').acquire(version('busy', 0))).toThrow(
      expect.objectContaining({ code: 'concurrency_limited', retryAfterSeconds: 1 }),
    );
  });
});

it('lets 64 callers wait for one call, and 128 of one buyer', () => {
  const waiters = createCallWaiters();
  const leaves = Array.from({ length: 64 }, () => waiters.enter('call 1', 'buyer'));
  expect(() => waiters.enter('call 1', 'buyer')).toThrow(
    expect.objectContaining({ code: 'concurrency_limited' }),
  );
  leaves[0]?.();
  waiters.enter('call 1', 'buyer');
  for (let n = 0; n < 64; n += 1) waiters.enter(`other ${n}`, 'buyer');
  expect(() => waiters.enter('one more', 'buyer')).toThrow();
  waiters.enter('one more', 'another buyer');
});
