/** A response with its own status or headers. Handlers that need neither return the body itself. */
export class Answer<R> {
  constructor(
    readonly body: R,
    readonly options: { status?: number; headers?: Record<string, string> } = {},
  ) {}
}

/** Returned by a handler that has written to `res` itself (streams, binary documents). */
export const HANDLED = Symbol('handled');
