import { isUtf8 } from 'node:buffer';

import { InvalidRequest } from '#kernel/app-error';
import { faultPosition } from './json-fault';
import { JsonGuard } from './json-guard';

const SEARCHED_CHARS_MAX = 64 * 1024;

/**
 * Parses a request body; the caller gets 400 with an explanation of each fault. An empty body is `{}`. `guarded` means that
 * `JsonGuard` has already checked the bytes.
 */
export const parseJsonBody = (bytes: Buffer, guarded = false): unknown => {
  if (!isUtf8(bytes)) {
    throw new InvalidRequest('The body is not valid UTF-8.');
  }
  const text = bytes.toString('utf8');
  if (text.trim() === '') {
    return {};
  }
  if (!guarded) new JsonGuard().feed(bytes);
  try {
    return JSON.parse(text);
  } catch {
    // The search steps through each character, so it runs only for short texts.
    const where = text.length > SEARCHED_CHARS_MAX ? '' : ` (at position ${faultPosition(text)})`;
    throw new InvalidRequest(`The body is not valid JSON${where}.`);
  }
};
