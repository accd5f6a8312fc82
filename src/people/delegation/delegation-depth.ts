/** The deepest level of delegation. An account or a wallet has level 0. */
export const DEPTH_MAX = 3;
