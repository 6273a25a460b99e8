import { createCircuitBreaker } from './engine-health';

describe('the circuit breaker', () => {
  it('opens after three failures in a row, lets one attempt through after its time, and closes on success', () => {
    let clock = 0;
    const breaker = createCircuitBreaker({ threshold: 3, silentMs: 500, openMs: 1_000, now: () => clock });
    for (let n = 0; n < 3; n += 1) {
      expect(breaker.tryPass()).toBe(true);
      breaker.failed();
    }
    expect(breaker.tryPass()).toBe(false);
    clock = 1_001;
    expect(breaker.tryPass()).toBe(true);
    expect(breaker.tryPass()).toBe(false);
    breaker.failed();
    expect(breaker.tryPass()).toBe(false);
    clock = 2_100;
    expect(breaker.tryPass()).toBe(true);
    breaker.succeeded();
    expect(breaker.isOpen).toBe(false);
    expect(breaker.tryPass()).toBe(true);
  });

  it('forgets failures that are not in a row', () => {
    const breaker = createCircuitBreaker({ threshold: 2, silentMs: 0, openMs: 1_000 });
    breaker.failed();
    breaker.succeeded();
    breaker.failed();
    expect(breaker.tryPass()).toBe(true);
  });

  it('stays closed under failures while others succeeded a moment ago, and opens when that has ended', () => {
    let clock = 10_000;
    const breaker = createCircuitBreaker({ threshold: 3, silentMs: 500, openMs: 1_000, now: () => clock });
    breaker.succeeded();
    for (let n = 0; n < 10; n += 1) breaker.failed();
    expect(breaker.isOpen).toBe(false);
    expect(breaker.tryPass()).toBe(true);
    clock = 10_500;
    breaker.failed();
    expect(breaker.isOpen).toBe(true);
    expect(breaker.tryPass()).toBe(false);
  });
});
