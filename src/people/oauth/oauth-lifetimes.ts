export const DAY_SECONDS = 86_400;

/** A person must end a sign-in within this time. */
export const SIGN_IN_SECONDS = 900;
/** The one code of a sign-in. */
export const CODE_SECONDS = 60;
export const ACCESS_SECONDS = 600;
export const REFRESH_SECONDS = 30 * DAY_SECONDS;
/** The key of a grant ends earlier. */
export const GRANT_SECONDS = 366 * DAY_SECONDS;

/** How long an unused app stays registered. */
export const UNUSED_APP_SECONDS = 24 * 3_600;
/** How long a registered app stays that somebody has connected. */
export const CONNECTED_APP_DAYS = 366;
