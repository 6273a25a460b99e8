import pino from 'pino';

export type Logger = pino.Logger;

/**
 * Serializes an error by an allow-list: class, code, message and stack, never the fields that libraries attach
 * (queries, parameters, request bodies). Requests are logged by `api/middleware/request-log`.
 */
function serializeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 500) };
  return {
    type: error.constructor.name,
    code: 'code' in error ? String(error.code) : undefined,
    message: error.message.slice(0, 2_000),
    stack: error.stack?.slice(0, 4_000),
    cause: error.cause === undefined ? undefined : serializeError(error.cause),
  };
}

/** Creates a logger that writes one JSON line per event to stdout; `service` is the kind of process. */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError, error: serializeError },
    redact: {
      paths: [
        '*.password',
        '*.cookie',
        '*.authorization',
        '*.key',
        '*.secret',
        '*.token',
        'password',
        'cookie',
      ],
      censor: '[redacted]',
    },
  });
}
