/** The names of the sweeps over jobs and media, for their pauses. */
export const LATE_REFUNDS = 'late refunds';
export const MEDIA_DELETION = 'media deletion';
