import { AppError } from '../../../kernel/app-error';

/** Another call of the same channel has run for too long to wait for it. */
export class ChannelBusy extends AppError {
  readonly kind = 'conflict';
  readonly code = 'CHANNEL_BUSY';

  constructor() {
    super(
      'Another call of this channel still runs, and a channel runs one call at a time. Send this call again when that one has ended, or open a second channel.',
      { retryAfterSeconds: 2, headers: { 'x-should-retry': 'true' } },
    );
  }
}
