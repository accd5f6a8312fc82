import { type MaybePromise, firstAnswer, whenReady } from './maybe-promise';

describe('what is mostly at hand', () => {
  it('is gone on with at once where it is', () => {
    expect(whenReady(2, (two) => two * 2)).toBe(4);
  });

  it('is waited for where it is not', async () => {
    await expect(whenReady(Promise.resolve(2), (two) => two * 2)).resolves.toBe(4);
  });

  it.each<[string, MaybePromise<string>]>([
    ['at hand', 'found'],
    ['waited for', Promise.resolve('found')],
  ])('is asked for until there is an answer, %s', async (_, answer) => {
    const asked: string[] = [];
    const ask =
      <T>(name: string, said: T) =>
      (): T => {
        asked.push(name);
        return said;
      };

    const first = await firstAnswer([
      ask('nothing', undefined),
      ask('later nothing', Promise.resolve(undefined)),
      ask('answer', answer),
      ask('nobody', 'too late'),
    ]);

    expect([first, asked]).toEqual(['found', ['nothing', 'later nothing', 'answer']]);
  });

  it('is nothing where nobody answers', () => {
    expect(firstAnswer([() => undefined])).toBeUndefined();
  });
});
