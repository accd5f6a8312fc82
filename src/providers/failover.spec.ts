import { Failover } from './failover';
import { AnswerLost, NotServed, ProviderFailed, ProviderUnavailable } from './providers.errors';

const [first, second] = [
  { provider: 'a', model: 'x' },
  { provider: 'b', model: 'x' },
] as const;

/** Asks both, each of which answers or fails as given, and returns the names of the asked ones. */
const asked = async (failover: Failover, answers: Readonly<Record<string, Error | 'done'>>) => {
  const who: string[] = [];
  const outcome: unknown = await failover
    .first([first, second], ({ provider }) => {
      who.push(provider);
      const answer = answers[provider] ?? 'done';
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    })
    .catch((error: unknown) => error);
  return { who: who.join(), outcome };
};

describe('failing over', () => {
  it('asks the next route when one surely did not take the work, and no other', async () => {
    expect(await asked(new Failover(), { a: new ProviderUnavailable() })).toEqual({
      who: 'a,b',
      outcome: 'done',
    });
    expect((await asked(new Failover(), { a: new AnswerLost() })).who).toBe('a');
    expect((await asked(new Failover(), { a: new ProviderFailed() })).who).toBe('a');
  });

  it('rests a route that keeps failing', async () => {
    const failover = new Failover();
    for (let times = 0; times < 3; times += 1) await asked(failover, { a: new ProviderUnavailable() });

    expect((await asked(failover, {})).who).toBe('b');
  });

  it('never rests a route that only says that a call is not for it', async () => {
    const failover = new Failover();
    for (let times = 0; times < 9; times += 1) await asked(failover, { a: new NotServed() });

    expect((await asked(failover, {})).who).toBe('a');
  });

  it('says that nobody makes it only when no other route may later', async () => {
    const notServed = new NotServed();
    const down = new ProviderUnavailable();

    expect((await asked(new Failover(), { a: notServed, b: new NotServed() })).outcome).toBe(notServed);
    expect((await asked(new Failover(), { a: notServed, b: down })).outcome).toBe(down);
    expect((await asked(new Failover(), { a: down, b: notServed })).outcome).toBe(down);
  });
});
