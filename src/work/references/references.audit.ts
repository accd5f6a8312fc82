import { auditAction } from '#people/accounts/audit/audit-action';

export const REFERENCE_STORED = auditAction(
  'reference.stored',
  (what, detail) => `stored the reference ${what}${detail}`,
);
export const REFERENCE_DELETED = auditAction('reference.deleted', (what) => `deleted the reference ${what}`);
