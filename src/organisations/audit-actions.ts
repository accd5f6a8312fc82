/** What members do that their colleagues may want to know, in words. `what` names its subject, `detail` the rest. */
export const AUDIT_ACTIONS = {
  'organisation.made': (_, detail) => `made this organisation, ${detail}`,
  'invite.made': (_, detail) => `invited ${detail}`,
  'invite.withdrawn': (what) => `withdrew the invite of ${what}`,
  'member.joined': (_, detail) => `joined as ${detail}`,
  'member.changed': (what, detail) => `gave ${what} the role ${detail}`,
  'member.removed': (what) => `removed ${what}`,
  'member.left': () => 'left',
  'key.made': (what, detail) => `made the key ${what}${detail}`,
  'key.changed': (what, detail) => `changed ${detail} of the key ${what}`,
  'key.rotated': (what) => `gave the key ${what} a new secret`,
  'key.deleted': (what) => `deleted the key ${what}`,
  'alerts.changed': () => 'changed what is warned of',
  'top_up.opened': (_, detail) => `opened a checkout over $${detail}`,
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

/** What a deed was done to, and what else is to be told of it. */
export interface AuditFacts {
  readonly name?: AuditAction;
  readonly subject?: string;
  readonly detail?: string;
  /** Where it is another than the one that the call acts for. */
  readonly organisationId?: string;
}

/** Which fields a change was about: what they were set to stays out. */
export const fieldsOf = (body: object): string => Object.keys(body).toSorted().join(', ') || 'nothing';
