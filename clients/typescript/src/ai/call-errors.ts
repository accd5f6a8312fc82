import { LamppostError } from '../lamppost.ts';

/** How the SDK knows its own errors, whichever copy of it has made them. */
const MARKS = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError'].map((mark) => Symbol.for(mark));

/**
 * An error as the SDK expects one: what the service has refused is an `APICallError`, too, with its status and answer. None is
 * one that may be tried again: the client has done so already, and a new call would be paid anew.
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

/** Does something for the SDK, which hears of errors in its own way. */
export const forSdk = async <T>(requestBodyValues: unknown, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw asCallError(error, requestBodyValues);
  }
};
