import { auditAction } from '#people/accounts/audit/audit-action';

export const WEBHOOK_MADE = auditAction('webhook.made', (_, detail) => `made a webhook to ${detail}`);
export const WEBHOOK_CHANGED = auditAction(
  'webhook.changed',
  (what, detail) => `changed ${detail} of the webhook ${what}`,
);
export const WEBHOOK_ROTATED = auditAction(
  'webhook.rotated',
  (what) => `gave the webhook ${what} a new secret`,
);
export const WEBHOOK_DELETED = auditAction('webhook.deleted', (what) => `deleted the webhook ${what}`);
