import { auditAction } from '#people/accounts/audit/audit-action';

export const ALERTS_CHANGED = auditAction('alerts.changed', () => 'changed the alert settings');
