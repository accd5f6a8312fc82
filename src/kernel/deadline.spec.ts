import { deadlineIn, within } from './deadline';

describe('a deadline', () => {
  it('is shared by those who begin together, and by nobody with another', () => {
    expect(deadlineIn(30)).toBe(deadlineIn(30));
    expect(deadlineIn(30)).not.toBe(deadlineIn(31));
  });

  it('comes, and not before its time', async () => {
    const signal = deadlineIn(0);
    expect(signal.aborted).toBe(false);

    await new Promise((resolve) => signal.addEventListener('abort', resolve));

    expect(deadlineIn(0)).not.toBe(signal);
    expect(deadlineIn(0).aborted).toBe(false);
  });
});

describe('within a time', () => {
  const never = new Promise<string>(() => undefined);

  it('gives the result, or the failure, of work that ends in time', async () => {
    await expect(within(1_000, Promise.resolve('made'), () => 'late')).resolves.toBe('made');
    await expect(within(1_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
  });

  it('gives the result, or the failure, of `late` after the time', async () => {
    await expect(within(1, never, () => 'late')).resolves.toBe('late');
    const refuse = (): never => {
      throw new Error('too late');
    };
    await expect(within(1, never, refuse)).rejects.toThrow('too late');
  });

  it('hides the failure of late work', async () => {
    const late = new Promise<string>((_resolve, reject) => {
      setTimeout(() => reject(new Error('unseen')), 10);
    });

    await expect(within(1, late, () => 'late')).resolves.toBe('late');
    // An unhandled rejection would fail this test.
    await new Promise((resolve) => setTimeout(resolve, 30));
  });
});
