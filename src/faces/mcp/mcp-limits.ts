/**
 * Stock clients wait 60 seconds for a call. For a longer job, the answer is that it is running, and the client can call
 * again to wait for it.
 */
export const WAIT_SECONDS_MAX = 50;
export const WAIT_SECONDS_DEFAULT = 25;

/** The default limit of a new key. It is small, because a model sees the secret of the key. */
export const KEY_MICRO_DEFAULT = 1_000_000;
export const KEY_SECONDS_DEFAULT = 3_600;

/** Enough for an image of 8 MB as a data URI, with the rest of its call. Callers must send videos as addresses. */
export const MESSAGE_BYTES_MAX = 12 * 1024 * 1024;

/** The most bytes of a tool call without its media. */
export const MESSAGE_KEPT_BYTES_MAX = 1024 * 1024;

/**
 * The largest image that a result contains. Clients pass images on to models, and these accept no larger ones. The
 * result always contains the address.
 */
export const INLINE_BYTES_MAX = 1024 * 1024;
