import { defineError } from '#kernel/app-error';
import { ORIGIN_MISMATCH } from '#people/accounts/accounts.errors';

export const ForeignOrigin = defineError(ORIGIN_MISMATCH);
