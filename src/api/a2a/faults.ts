/**
 * Errors in the formats of A2A 1.0. Errors that the protocol defines use its names. Our other errors keep their code as
 * the reason of an `ErrorInfo` with our own domain, and their usual HTTP status.
 */
import type { Response } from 'express';
import {
  A2AError,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  toJsonRpcError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { type ErrorCode, type MarketError } from '../../domain/errors';
import { A2A_VERSION, LEGACY_VERSION } from '../../domain/a2a/a2a-card';
import { setErrorHeaders } from '../answers/error-headers';
import { httpStatus } from '../answers/http-status';
import { contextOf } from '../identity/context';
import { HANDLED } from '../answers/answer';
import { sentenceOf } from '../requests/request-fields';
import { rpcIdOf } from './envelope';

const DOMAIN = 'io.market';
const A2A_DOMAIN = 'a2a-protocol.org';
/** ContentTypeNotSupportedError. */
const A2A_CONTENT_TYPE = -32_005;
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
/** JSON-RPC 2.0. */
const RPC = { parse: -32_700, invalidRequest: -32_600, invalidParams: -32_602, internal: -32_603 } as const;

const STATUS_NAMES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'OUT_OF_RANGE',
  415: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** One of our errors after a stream has begun, in the form that the library's handlers recognize. */
export class MarketFault extends A2AError {
  override readonly reason: string;
  readonly transport: 'jsonrpc' | 'rest';
  /** Code of JSON-RPC. */
  readonly envelopeCode: number;
  /** Code of HTTP+JSON. */
  readonly statusCode: number;

  constructor(error: MarketError, isRpc: boolean) {
    super({ message: error.message });
    this.reason = reasonOf(error.code);
    this.transport = isRpc ? 'jsonrpc' : 'rest';
    this.envelopeCode = rpcCode(error.code);
    this.statusCode = httpStatus(error.code);
    // By this name, the library finds INVALID_ARGUMENT or INTERNAL for the status of HTTP+JSON.
    this.name = this.statusCode < 500 ? 'RequestMalformedError' : 'InvalidAgentResponseError';
  }

  override toErrorInfo() {
    // The library types the domain as its own.
    return { ...super.toErrorInfo(), domain: DOMAIN as never };
  }
}

const NO_TASK = 'There is no such task, or you have no access to it.';

/** The protocol's own error for one of ours; undefined if the protocol defines none. */
export function protocolErrorOf(error: MarketError): Error | undefined {
  if (error.code === 'not_found') return new TaskNotFoundError(NO_TASK);
  if (error.code === 'unsupported_media_type') return new ContentTypeNotSupportedError(error.message);
  if (error.code === 'validation_failed' || error.code === 'malformed_json') {
    return new RequestMalformedError(sentenceOf(error));
  }
  return undefined;
}

/** Writes one of our errors for HTTP+JSON. */
export function writeRestFault(res: Response, error: MarketError): void {
  const status = httpStatus(error.code);
  const body = {
    error: {
      code: status,
      status: STATUS_NAMES[status] ?? 'INTERNAL',
      message: error.message,
      details: [errorInfo(res, error)],
    },
  };
  write(res, error, 'application/a2a+json', body);
}

/**
 * Writes the same as a JSON-RPC error, with the id of the request, if it was read, and the same HTTP status. A body
 * that is no request of JSON-RPC is an error of that protocol alone: its clients read it behind 200.
 */
export function writeRpcFault(res: Response, error: MarketError): void {
  const body = {
    jsonrpc: '2.0',
    id: rpcIdOf(res.req.body),
    error: { code: rpcCode(error.code), message: error.message, data: [errorInfo(res, error)] },
  };
  write(res, error, 'application/json', body, error.code === 'malformed_request' ? 200 : undefined);
}

/** Writes a JSON-RPC error for an unsupported version. */
export function writeUnsupportedVersion(res: Response): typeof HANDLED {
  const error = toJsonRpcError(
    new VersionNotSupportedError(`Send the header A2A-Version: ${A2A_VERSION} or ${LEGACY_VERSION}.`),
  );
  res.statusCode = 400;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  return HANDLED;
}

/** Statuses of errors about the content of a request. Others come before the protocol. */
const ABOUT_CONTENT: ReadonlySet<number> = new Set([400, 402, 404, 409, 422]);

function rpcCode(code: ErrorCode): number {
  const status = httpStatus(code);
  if (code === 'malformed_json') return RPC.parse;
  if (code === 'unsupported_media_type') return A2A_CONTENT_TYPE;
  if (status >= 500) return RPC.internal;
  return code !== 'malformed_request' && ABOUT_CONTENT.has(status) ? RPC.invalidParams : RPC.invalidRequest;
}

function errorInfo(res: Response, { code }: MarketError) {
  const { traceId } = contextOf(res);
  const isOfTheProtocol = code === 'unsupported_media_type';
  const reason = isOfTheProtocol ? 'CONTENT_TYPE_NOT_SUPPORTED' : reasonOf(code);
  return {
    '@type': ERROR_INFO,
    reason,
    domain: isOfTheProtocol ? A2A_DOMAIN : DOMAIN,
    metadata: { traceId },
  };
}

function reasonOf(code: ErrorCode): string {
  return code.toUpperCase();
}

function write(
  res: Response,
  error: MarketError,
  mediaType: string,
  body: unknown,
  status = httpStatus(error.code),
): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.statusCode = status;
  setErrorHeaders(res, error);
  res.setHeader('Content-Type', `${mediaType}; charset=utf-8`);
  res.end(JSON.stringify(body));
}
