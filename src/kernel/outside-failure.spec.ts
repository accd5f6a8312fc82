import { OutsideFailure, networkReason, outsideReason } from './outside-failure';

const network = (code: string): Error => Object.assign(new Error(`connect ${code} 10.0.0.1:443`), { code });

describe('the reason of a failed call to another party', () => {
  it('is in words, and each word occurs once', () => {
    const cause = new OutsideFailure('it could not be reached', { cause: network('ENOTFOUND') });

    expect(outsideReason(new Error('it could not be reached', { cause }))).toBe(
      'it could not be reached: the name has no address (ENOTFOUND)',
    );
    expect(networkReason(cause)).toBe('the name has no address (ENOTFOUND)');
  });

  it('is the first line of an error with many', () => {
    expect(outsideReason(new OutsideFailure('The call failed.\n\nURL: http://10.0.0.1/key'))).toBe(
      'The call failed',
    );
  });

  it('is absent for an error of our own code, also with a code that is the name of a method', () => {
    expect(outsideReason(new TypeError('x is no function'))).toBeUndefined();
    expect(outsideReason(network('toString'))).toBeUndefined();
    expect(networkReason(new OutsideFailure('it answered 500'))).toBeUndefined();
    expect(outsideReason('a text')).toBeUndefined();
  });

  it('ends when errors are the cause of each other', () => {
    const one = new OutsideFailure('one');
    one.cause = new Error('two', { cause: one });

    expect(outsideReason(one)).toBe('one: two');
  });
});
