/** Limits of all media routes. */
/** A video and two images as data URIs of full size, with the rest of the call. */
export const MEDIA_BODY_BYTES_MAX = 80 * 1024 * 1024;
/** The synchronous window and the settlement after it. */
export const MEDIA_RUN_SECONDS = 130;
export const MEDIA_REPLAY_SECONDS = 86_400;
