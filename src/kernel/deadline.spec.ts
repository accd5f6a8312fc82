import { abortAfter, deadlineIn, unlessAborted, within } from './deadline';

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

describe('work with a controller', () => {
  it('is aborted after the time', async () => {
    const controller = new AbortController();
    const work = () => new Promise((resolve) => controller.signal.addEventListener('abort', resolve));

    await abortAfter(1, controller, work);

    expect(controller.signal.aborted).toBe(true);
  });

  it('is not aborted after it has ended', async () => {
    const controller = new AbortController();

    await expect(abortAfter(5, controller, () => Promise.resolve('made'))).resolves.toBe('made');
    await new Promise((resolve) => setTimeout(resolve, 20));

    expect(controller.signal.aborted).toBe(false);
  });
});

describe('work with a signal', () => {
  it('gives its result, or fails with the reason of an abort', async () => {
    const controller = new AbortController();
    await expect(unlessAborted(controller.signal, Promise.resolve('made'))).resolves.toBe('made');

    const aborted = unlessAborted(controller.signal, new Promise(() => undefined));
    controller.abort(new Error('the caller left'));

    await expect(aborted).rejects.toThrow('the caller left');
    await expect(unlessAborted(controller.signal, new Promise(() => undefined))).rejects.toThrow(
      'the caller left',
    );
  });
});
