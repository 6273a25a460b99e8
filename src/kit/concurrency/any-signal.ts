/**
 * The sources of each combined signal. Node holds them weakly, and a timer does not hold its signal: without this, a
 * garbage collection removes `AbortSignal.timeout(…)` from the combination, which then never aborts.
 */
const sourcesOf = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/** A signal that aborts when the first of these does. It keeps them while it has a listener. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  // eslint-disable-next-line no-restricted-syntax -- this is the place that keeps the sources
  const signal = AbortSignal.any([...signals]);
  sourcesOf.set(signal, signals);
  return signal;
}
