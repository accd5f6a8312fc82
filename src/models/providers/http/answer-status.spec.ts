import { codesIn, outcomeOf, refusalIn } from './answer-status';

describe('what a status says about the work', () => {
  it.each([
    [400, false, 'refused'],
    [413, false, 'refused'],
    [422, false, 'refused'],
    [401, false, 'not-accepted'],
    [402, false, 'empty-account'],
    [404, false, 'not-accepted'],
    [429, false, 'not-accepted'],
    [503, true, 'not-accepted'],
    [503, false, 'unknown'],
    [408, false, 'unknown'],
    [409, false, 'unknown'],
    [500, true, 'unknown'],
    [502, false, 'unknown'],
    [504, false, 'unknown'],
    [529, false, 'not-accepted'],
    [599, false, 'unknown'],
  ] as const)('%s, with a time to come back: %s, means %s', (status, hasRetryAfter, expected) => {
    expect(outcomeOf(status, hasRetryAfter)).toBe(expected);
  });

  it.each([
    [{ error: { message: 'Nothing left.', type: 'invalid_request_error' } }, 'Nothing left.'],
    [{ message: 'Nothing left.' }, 'Nothing left.'],
    [{ error: 'Nothing left.' }, 'Nothing left.'],
    ['<html>', ''],
    [undefined, ''],
    [{ error: { message: { text: 'Nothing left.' } } }, ''],
  ])('finds the sentence of %j', (answer, message) => {
    expect(refusalIn(400, answer).message).toBe(message);
  });

  it('keeps codes for the log, and no sentences, which quote prompts', () => {
    const answer = {
      error: {
        code: 'content_policy_violation',
        message: 'Your prompt "a secret" …',
        type: 'a secret prompt',
      },
      detail: [{ type: 'value_error', msg: 'a secret', input: 'a secret' }],
    };

    expect(codesIn(answer)).toEqual(['content_policy_violation', 'value_error']);
    expect(codesIn('<html>a secret</html>')).toEqual([]);
  });
});
