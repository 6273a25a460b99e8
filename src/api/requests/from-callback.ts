import { types } from 'node:util';

/** A call of a callback-style library as a promise; what is passed as an error and is none becomes one. */
export function fromCallback<T = void>(
  work: (done: (error?: unknown, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    work((error, value) => {
      if (error) reject(types.isNativeError(error) ? error : new Error('the call failed', { cause: error }));
      else resolve(value as T);
    });
  });
}
