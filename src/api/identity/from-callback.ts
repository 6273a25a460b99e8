import { types } from 'node:util';

/** Converts a callback-style call into a promise. An error value that is not an `Error` is wrapped in one. */
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
