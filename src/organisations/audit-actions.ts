/** The audited actions of members, in words. `what` is the subject of the action, and `detail` has further facts. */
export const AUDIT_ACTIONS = {
  'organisation.made': (_, detail) => `made this organisation, ${detail}`,
  'organisation.renamed': (_, detail) => `renamed this organisation to ${detail}`,
  'organisation.closed': (_, detail) => `deleted this organisation and left $${detail} behind`,
  'invite.made': (_, detail) => `invited ${detail}`,
  'invite.withdrawn': (what) => `withdrew the invite of ${what}`,
  'member.joined': (_, detail) => `joined as ${detail}`,
  'member.changed': (what, detail) => `gave ${what} the role ${detail}`,
  'member.budget': (what, detail) => `gave ${what} ${detail}`,
  'member.removed': (what) => `removed ${what}`,
  'member.left': () => 'left',
  'key.made': (what, detail) => `made the key ${what}${detail}`,
  'key.changed': (what, detail) => `changed ${detail} of the key ${what}`,
  'key.rotated': (what) => `gave the key ${what} a new secret`,
  'key.deleted': (what) => `deleted the key ${what}`,
  'alerts.changed': () => 'changed the alert settings',
  'top_up.opened': (_, detail) => `opened a checkout over $${detail}`,
  'address.changed': () => 'changed the billing address',
  'auto_top_up.changed': (_, detail) => `switched automatic top-ups ${detail}`,
  'card.opened': () => 'opened a page for saving a card',
  'card.removed': () => 'removed the saved card',
  'webhook.made': (_, detail) => `made a webhook to ${detail}`,
  'webhook.changed': (what, detail) => `changed ${detail} of the webhook ${what}`,
  'webhook.rotated': (what) => `gave the webhook ${what} a new secret`,
  'webhook.deleted': (what) => `deleted the webhook ${what}`,
  'reference.stored': (what, detail) => `stored the reference ${what}${detail}`,
  'reference.deleted': (what) => `deleted the reference ${what}`,
  'job.cancelled': (what) => `cancelled the job ${what}`,
} as const satisfies Readonly<Record<string, (what: string, detail: string) => string>>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as readonly AuditAction[];

/** The subject of an action, and further facts. */
export interface AuditFacts {
  readonly name?: AuditAction;
  readonly subject?: string;
  readonly detail?: string;
  /** Set if it differs from the organisation of the call. */
  readonly organisationId?: string;
}

/** The names of the changed fields, without their values. */
export const fieldsOf = (body: object): string => Object.keys(body).toSorted().join(', ') || 'nothing';
