import { progressReporter } from './progress';

/** What the client of a reporter has got: progress and message of each notification. */
function reported() {
  const sent: [number, string | undefined][] = [];
  const send = (pieces: readonly (string | Buffer)[]) => {
    const { params } = JSON.parse(pieces.map(String).join('')) as {
      params: { progress: number; message?: string };
    };
    sent.push([params.progress, params.message]);
    return Promise.resolve();
  };
  const request = { client: { progressToken: 'p' }, reply: { streams: true, send } };
  return { sent, report: progressReporter(request as unknown as Parameters<typeof progressReporter>[0]) };
}

it('sends what is new, and nothing for a message that is gone when its job ends', async () => {
  const { sent, report } = reported();
  await report({ progress: 0.4, message: 'Reads page 4.' } as never);
  await report({ progress: 0.4, message: 'Reads page 4.' } as never);
  await report({ progress: 0.4, message: 'Reads page 5.' } as never);
  await report({ progress: 0.4, message: null } as never);
  await report({ progress: 0.3, message: null } as never);
  await report({ progress: 0.5, message: null } as never);
  expect(sent).toEqual([
    [0.4, 'Reads page 4.'],
    [0.4001, 'Reads page 5.'],
    [0.5, undefined],
  ]);
});
