import { AppError } from '../kernel/app-error';
import { EVENT_DAYS } from '../outbox/event-types';

export class CursorExpired extends AppError {
  readonly kind = 'gone';
  readonly code = 'CURSOR_EXPIRED';

  constructor() {
    super(
      `This cursor is older than the ${EVENT_DAYS} days that events are kept. Read without one, and check for missed changes.`,
      { param: 'after' },
    );
  }
}
