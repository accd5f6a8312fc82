/** How long the service stores answers of texts and sounds for repetitions. They are private, so the time is short. */
export const TEXT_REPLAY_SECONDS = 600;
/** How long the service stores the answers of media, and of top-ups by a wallet. */
export const MEDIA_REPLAY_SECONDS = 86_400;
export const TOP_UP_REPLAY_SECONDS = 86_400;

/** The most characters of a stream that are stored for repetitions. */
export const KEPT_CHARS_MAX = 1_000_000;
/** The longest time to send a stored stream again. */
export const SENDING_AGAIN_SECONDS_MAX = 60;
