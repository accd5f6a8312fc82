import { auditAction } from '#people/accounts/audit/audit-action';

export const ORGANISATION_CLOSED = auditAction(
  'organisation.closed',
  (_, detail) => `deleted this organisation and left $${detail} behind`,
);
export const TOP_UP_OPENED = auditAction('top_up.opened', (_, detail) => `opened a checkout over $${detail}`);
export const ADDRESS_CHANGED = auditAction('address.changed', () => 'changed the billing address');
export const AUTO_TOP_UP_CHANGED = auditAction(
  'auto_top_up.changed',
  (_, detail) => `switched automatic top-ups ${detail}`,
);
export const CARD_OPENED = auditAction('card.opened', () => 'opened a page for saving a card');
export const CARD_REMOVED = auditAction('card.removed', () => 'removed the saved card');
