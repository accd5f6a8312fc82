import { AppError } from '../../../kernel/app-error';

/** Another call of the channel runs for too long, so this call no longer waits for it. */
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
