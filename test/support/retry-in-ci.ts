/**
 * In CI a failed test of the projects with real parts is tried once more, and its first failure is printed: the
 * machines there are shared, and a timing that a busy neighbour broke says nothing of the change. It is tried at once,
 * as later tests of its file may change what it needs. A test that fails twice fails.
 */
if (process.env['CI']) jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });
