/** The deepest level of delegation. An account or a wallet has level 0. */
export const DEPTH_MAX = 3;
/** The seconds for which a delegated key may live. */
export const KEY_SECONDS = { min: 60, max: 31_536_000 } as const;
