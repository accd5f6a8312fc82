/** A model may reason for long before its first word. The signal of the call may end this wait earlier. */
export const FIRST_WORD_MS_MAX = 120_000;
/** The same for the stream of a conversation. Some vendors send no byte of it while their model reasons. */
export const STREAM_SILENCE_MS_MAX = 300_000;
