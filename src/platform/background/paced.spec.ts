import { setTimeout as pause } from 'node:timers/promises';

import { paced } from './paced';

jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn() }));

/** The pauses behind a part that takes this long. */
const pausesBehind = async (milliseconds: number, isMore: boolean): Promise<unknown[]> => {
  jest.mocked(pause).mockClear();
  jest
    .spyOn(performance, 'now')
    .mockReturnValueOnce(7)
    .mockReturnValueOnce(7 + milliseconds);
  const result = await paced(
    () => Promise.resolve('its result'),
    () => isMore,
  );
  jest.restoreAllMocks();
  expect(result).toBe('its result');
  return jest.mocked(pause).mock.calls.map(([length]) => length);
};

describe('one part of long work', () => {
  it('is followed by a pause of three times as long', async () => {
    expect(await pausesBehind(60, true)).toEqual([180]);
  });

  it('has no pause behind it if nothing follows', async () => {
    expect(await pausesBehind(60, false)).toEqual([]);
  });

  it('is followed by a second at most', async () => {
    expect(await pausesBehind(600, true)).toEqual([1_000]);
  });
});
