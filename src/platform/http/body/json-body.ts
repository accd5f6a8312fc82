import { isUtf8 } from 'node:buffer';

import { InvalidRequest } from '../../../kernel/app-error';
import { faultPosition } from './json-fault';
import { JsonGuard } from './json-guard';

const SEARCHED_CHARS_MAX = 64 * 1024;

/**
 * Parses a request body; every way in which it can be wrong is a 400 that says so. An empty body is `{}`. `guarded` says
 * that a guard has seen its bytes already, while they came in.
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
    // Looking for the place takes a step for each character.
    const where = text.length > SEARCHED_CHARS_MAX ? '' : ` (at position ${faultPosition(text)})`;
    throw new InvalidRequest(`The body is not valid JSON${where}.`);
  }
};
