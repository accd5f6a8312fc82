/** How long the service stores answers of texts and sounds for repetitions. They are private, so the time is short. */
export const TEXT_REPLAY_SECONDS = 600;
