/** A list of members has no pages, so an organisation may have only this many. */
export const MEMBERS_MAX = 100;
/** The most organisations that one person may own, including those with further owners. */
export const OWNED_MAX = 20;
/** An invite expires after this time. */
export const INVITE_DAYS = 7;
