import { auditAction } from '#people/accounts/audit/audit-action';

export const KEY_MADE = auditAction('key.made', (what, detail) => `made the key ${what}${detail}`);
export const KEY_CHANGED = auditAction(
  'key.changed',
  (what, detail) => `changed ${detail} of the key ${what}`,
);
export const KEY_ROTATED = auditAction('key.rotated', (what) => `gave the key ${what} a new secret`);
export const KEY_DELETED = auditAction('key.deleted', (what) => `deleted the key ${what}`);
