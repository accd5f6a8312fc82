/** Room for a video and two images of full size as data URIs, and for the other fields of the call. */
export const MEDIA_BODY_BYTES_MAX = 80 * 1024 * 1024;
/** The synchronous window, and the time for the settlement after it. */
export const MEDIA_RUN_SECONDS = 130;
export const MEDIA_REPLAY_SECONDS = 86_400;
