import { Command } from 'commander';
import { verb } from './command-line';
import { CliFailure } from './failure';

/** Returns the output of a refused verb on standard error. */
async function printed(message: string, json: Record<string, unknown>): Promise<string> {
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const exitCode = process.exitCode;
  try {
    await verb(() => Promise.reject(new CliFailure(message, 3, json)))(new Command('market'));
    return written.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    process.exitCode = exitCode;
    written.mockRestore();
  }
}

describe('the next step of a refusal', () => {
  it.each(['Email or password is wrong.', 'The old password is wrong.'])(
    'is a new password after: %s',
    async (message) => {
      expect(await printed(message, { code: 'invalid_credentials' })).toBe(
        `market: ${message}\n  next: market password reset --email <email>, if the password is lost\n`,
      );
    },
  );

  it('is not a new password after a wrong code of an authenticator', async () => {
    const message = 'The code is wrong or was used before.';
    expect(await printed(message, { code: 'invalid_credentials' })).toBe(`market: ${message}\n`);
  });
});
