import { auditAction } from '#people/accounts/audit/audit-action';

export const ORGANISATION_MADE = auditAction(
  'organisation.made',
  (_, detail) => `made this organisation, ${detail}`,
);
export const ORGANISATION_RENAMED = auditAction(
  'organisation.renamed',
  (_, detail) => `renamed this organisation to ${detail}`,
);
export const INVITE_MADE = auditAction('invite.made', (_, detail) => `invited ${detail}`);
export const INVITE_WITHDRAWN = auditAction('invite.withdrawn', (what) => `withdrew the invite of ${what}`);
export const MEMBER_JOINED = auditAction('member.joined', (_, detail) => `joined as ${detail}`);
export const MEMBER_CHANGED = auditAction(
  'member.changed',
  (what, detail) => `gave ${what} the role ${detail}`,
);
export const MEMBER_BUDGET = auditAction('member.budget', (what, detail) => `gave ${what} ${detail}`);
export const MEMBER_REMOVED = auditAction('member.removed', (what) => `removed ${what}`);
export const MEMBER_LEFT = auditAction('member.left', () => 'left');
