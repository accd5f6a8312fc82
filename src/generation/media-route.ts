/** What all routes that make media share. */
/** 40 MB of video as a data URI, with the rest of the call. */
export const MEDIA_BYTES_MAX = 60 * 1024 * 1024;
/** The synchronous window and the settlement after it. */
export const MEDIA_RUN_SECONDS = 130;
export const MEDIA_REPLAY_SECONDS = 86_400;
