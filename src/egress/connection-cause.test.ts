import { connectionCause, connectFailure, EgressError, exchangeFailure, unresolved } from './egress-error';

const failure = (code: string) => Object.assign(new Error('failed'), { code });
const connecting = (code: string) => connectionCause(connectFailure(failure(code)));

it.each([
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'no_route'],
  ['ENETUNREACH', 'no_route'],
  ['ETIMEDOUT', 'connect_timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
  ['ECONNRESET', 'broken'],
  ['CERT_HAS_EXPIRED', 'certificate_expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate_untrusted'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
])('names the cause of %s', (code, cause) => {
  expect(connecting(code)).toBe(cause);
});

it('names a host without a public address, and a connection that breaks', () => {
  expect(connectionCause(unresolved())).toBe('no_address');
  expect(connectionCause(new EgressError('unsafe_url', 'no', 'url_host_not_public'))).toBe('no_address');
  expect(connectionCause(exchangeFailure(failure('ECONNRESET'), false))).toBe('broken');
});

it.each(['timeout', 'redirect', 'too_large', 'bad_response', 'aborted'] as const)(
  'names none for %s, where a response came or a deadline passed',
  (kind) => {
    expect(
      connectionCause(new EgressError(kind, 'no', undefined, { cause: failure('ECONNREFUSED') })),
    ).toBeUndefined();
  },
);
