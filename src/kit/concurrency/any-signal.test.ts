import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { anySignal } from './any-signal';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const never = new AbortController().signal;

describe('a signal of several', () => {
  it('aborts when its time is over, although the garbage was collected meanwhile', async () => {
    // Nothing but the combinations holds the timers.
    const combined = Array.from({ length: 20 }, () => {
      const signal = anySignal(never, AbortSignal.timeout(150));
      return once(signal, 'abort');
    });
    const nested = Array.from({ length: 20 }, () =>
      once(anySignal(never, anySignal(never, AbortSignal.timeout(150))), 'abort'),
    );
    await new Promise(setImmediate);
    collectGarbage();
    await new Promise(setImmediate);
    collectGarbage();
    expect(await Promise.all([...combined, ...nested])).toHaveLength(40);
  }, 5_000);

  it('aborts with the reason of the first, and at once when one is aborted already', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const signal = anySignal(first.signal, second.signal);
    second.abort('second');
    first.abort('first');
    expect([signal.aborted, signal.reason]).toEqual([true, 'second']);
    expect(anySignal(never, first.signal).reason).toBe('first');
  });
});
