import { AppError } from '../kernel/app-error';
import { EVENT_DAYS } from '../outbox/event-types';

export class CursorExpired extends AppError {
  readonly kind = 'gone';
  readonly code = 'CURSOR_EXPIRED';

  constructor() {
    super(
      `This cursor is older than ${EVENT_DAYS} days, and older events are deleted. Read without a cursor, and check for missed changes.`,
      { param: 'after' },
    );
  }
}
