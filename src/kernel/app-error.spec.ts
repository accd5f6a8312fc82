import { AppError, defineError } from './app-error';
import { errorCode, errorCodeNamed, errorCodes } from './error-code';

const FACTS = { means: 'It is wrong.', remedy: 'Change it.' };
const BOTH = errorCode('OF_BOTH', ['conflict', 'not_found'], FACTS);

describe('an error that is made from its code', () => {
  it('has the code, its usual kind, and a text from the arguments', () => {
    const TooMany = defineError(
      BOTH,
      (max: number, param?: string) => ({ message: `At most ${max}.`, param }),
      { retryAfterSeconds: 5 },
    );
    const error = new TooMany(3, 'notes');

    expect(error).toMatchObject({ code: 'OF_BOTH', kind: 'conflict', message: 'At most 3.', name: 'OfBoth' });
    expect(error.extras).toEqual({ retryAfterSeconds: 5, param: 'notes' });
  });

  it('may have another kind of its code, and no other kind', () => {
    const Missing = defineError(BOTH, 'It is not there.', { kind: 'not_found' });

    expect(new Missing().kind).toBe('not_found');
    // @ts-expect-error: a kind that the code does not have.
    expect(defineError(BOTH, 'It is gone.', { kind: 'gone' })).toBeDefined();
  });

  it('is caught by its class', () => {
    class Own extends defineError(BOTH) {}
    const Other = defineError(BOTH, 'Another one.');
    const error: unknown = new Own('Said by the caller.', { param: 'body' });

    expect(error).toBeInstanceOf(Own);
    expect(error).toBeInstanceOf(AppError);
    expect(error).not.toBeInstanceOf(Other);
    expect(error).toMatchObject({ name: 'Own', message: 'Said by the caller.', extras: { param: 'body' } });
  });
});

describe('the declared codes', () => {
  it('are listed by name, each once', () => {
    errorCode('A_FIRST', 'gone', FACTS);

    expect(errorCodes().map(({ code }) => code)).toEqual(
      errorCodes()
        .map(({ code }) => code)
        .toSorted(),
    );
    expect(errorCodeNamed('A_FIRST')).toEqual({ code: 'A_FIRST', kinds: ['gone'], ...FACTS });
    expect(() => errorCode('A_FIRST', 'gone', FACTS)).toThrow('Two files declare the error code A_FIRST.');
  });
});
