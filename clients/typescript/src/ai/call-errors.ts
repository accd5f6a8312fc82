import { LamppostError } from '../lamppost.ts';

/** The mark by which the SDK recognises its own errors, even from another copy of the SDK. */
const MARKS = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError'].map((mark) => Symbol.for(mark));

/**
 * An error in the SDK's form: a refusal of the service is also an `APICallError`, with its status and answer. No error
 * is retryable, because the client has already retried, and a new call would be charged again.
 */
export const asCallError = (error: unknown, requestBodyValues: unknown): unknown => {
  if (!(error instanceof LamppostError)) return error;
  const { status, headers, body } = error;
  return Object.assign(error, {
    url: '/v1/chat/completions',
    requestBodyValues,
    statusCode: status,
    responseHeaders: Object.fromEntries(headers),
    responseBody: JSON.stringify(body),
    data: body,
    isRetryable: false,
    ...Object.fromEntries(MARKS.map((mark) => [mark, true])),
  });
};

/** Runs work for the SDK, with errors in the SDK's form. */
export const forSdk = async <T>(requestBodyValues: unknown, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw asCallError(error, requestBodyValues);
  }
};
