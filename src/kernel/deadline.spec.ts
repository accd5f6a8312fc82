import { deadlineIn } from './deadline';

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
