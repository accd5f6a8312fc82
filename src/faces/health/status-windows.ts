const HOUR_SECONDS = 3_600;

export const STATUS_WINDOWS = ['24h', '7d', '30d'] as const;
export type StatusWindow = (typeof STATUS_WINDOWS)[number];

export const STEPS_OF_WINDOW: Readonly<
  Record<StatusWindow, { readonly steps: number; readonly stepSeconds: number }>
> = {
  '24h': { steps: 24, stepSeconds: HOUR_SECONDS },
  '7d': { steps: 28, stepSeconds: 6 * HOUR_SECONDS },
  '30d': { steps: 30, stepSeconds: 24 * HOUR_SECONDS },
};

/** This is longer than any window, so a range of this length has no effective end. */
export const LONGER_THAN_WINDOWS_MS = 40 * 24 * HOUR_SECONDS * 1_000;
/** The service adds up an hour when most of its work has ended, and again when all of its work has ended. */
export const HOUR_ADDED_AFTER = '2 hours';
export const HOUR_FINAL_AFTER = '26 hours';
/** Hours are kept for longer than the longest window. */
export const HOURS_KEPT = '31 days';
