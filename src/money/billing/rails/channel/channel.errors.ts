import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

/** Another call of the channel runs for too long, so this call no longer waits for it. */
export const ChannelBusy = defineError(
  errorCode('CHANNEL_BUSY', 'conflict', {
    means: 'Another call of the same payment channel still runs. A channel runs one call at a time.',
    remedy: 'Wait for `Retry-After` and send the call again, or open a second channel with another salt.',
  }),
  'Another call of this channel still runs, and a channel runs one call at a time. Send this call again when that one has ended, or open a second channel.',
  { retryAfterSeconds: 2, headers: { 'x-should-retry': 'true' } },
);
