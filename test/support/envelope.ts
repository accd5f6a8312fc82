/** The shape of every refusal, whether the route, the framework or Node's parser made it. */
export const expectEnvelope = (
  answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  },
  expected: {
    readonly status: number;
    readonly code: string;
    readonly type?: string;
    readonly param?: string | null;
  },
): void => {
  const { status, code, ...rest } = expected;
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: expect.objectContaining({
      error: {
        message: expect.stringMatching(/^\S.*[.?]$/s),
        type: expect.stringMatching(/^[a-z_]+$/),
        code,
        param: null,
        requestId: answer.headers['x-request-id'],
        retryable: answer.headers['x-should-retry'] === 'true',
        ...rest,
      },
    }),
  });
  expect(answer.headers['x-request-id']).toMatch(/^req_[A-Za-z0-9_-]{9,}$/);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
};
