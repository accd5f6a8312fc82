import { auditAction } from '../accounts/audit/audit-action';

export const ALERTS_CHANGED = auditAction('alerts.changed', () => 'changed the alert settings');
