import { exitUnstarted, StartRefusal } from './start-refusal';

describe('a process that could not start', () => {
  const printed = jest.spyOn(console, 'error').mockImplementation();
  const exit = jest.spyOn(process, 'exit').mockImplementation();
  beforeEach(() => jest.clearAllMocks());
  afterAll(() => jest.restoreAllMocks());

  it('prints the reasons of a refusal alone', () => {
    exitUnstarted(new StartRefusal('MASTER_KEYS: two entries have the same name and version'));
    expect(printed.mock.calls).toEqual([['MASTER_KEYS: two entries have the same name and version']]);
    expect(exit.mock.calls).toEqual([[1]]);
  });

  it('prints the stack of a fault', () => {
    exitUnstarted(new Error('no such function'));
    expect(printed.mock.calls).toEqual([[expect.stringMatching(/^Error: no such function\n\s+at /)]]);
    expect(exit.mock.calls).toEqual([[1]]);
  });
});
