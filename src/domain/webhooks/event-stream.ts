/** The event stream of an account (docs/webhooks.md#the-event-stream). */

/** An account that had an open stream can resume it for this time without missing an event. */
export const EVENTS_KEPT_MS = 86_400_000;

/** A stream ends after this time, and its client authenticates again. So a deleted key does not read for longer. */
export const STREAM_LIFE_MS = 300_000;

/** The pause before a client connects again. */
export const RECONNECT_MS = 2_000;
