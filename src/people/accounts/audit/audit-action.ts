/** An audited action of members. Its text has the subject of the action and further facts. */
export interface AuditAction {
  readonly name: string;
  readonly text: (what: string, detail: string) => string;
}

/** The subject of an action, and further facts. */
export interface AuditFacts {
  /** Set if the call turns out to be another action. */
  readonly action?: AuditAction;
  readonly subject?: string;
  readonly detail?: string;
  /** Set if it differs from the organisation of the call. */
  readonly organisationId?: string;
}

const declared = new Map<string, AuditAction>();
const names: string[] = [];

/** The names of all actions, in the order of the alphabet. The list is complete when the controllers are loaded. */
export const AUDIT_ACTION_NAMES: readonly string[] = names;

/** Declares an action, in the folder of its feature. The audit of an organisation shows it in these words. */
export const auditAction = (name: string, text: AuditAction['text']): AuditAction => {
  if (declared.has(name)) throw new Error(`Two files declare the audited action ${name}.`);
  const action = { name, text };
  declared.set(name, action);
  names.push(name);
  names.sort();
  return action;
};

/** An entry in words. An action of an earlier version, which no file declares any more, has only its name. */
export const auditText = (name: string, what: string, detail: string): string =>
  declared.get(name)?.text(what, detail) ?? name;

/** The names of the changed fields, without their values. */
export const fieldsOf = (body: object): string => Object.keys(body).toSorted().join(', ') || 'nothing';
