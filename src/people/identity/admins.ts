/** The rights of operators. Every operator may read. */
export const ADMIN_SCOPES = ['read', 'accounts', 'money', 'service'] as const;
export type AdminScope = (typeof ADMIN_SCOPES)[number];

/** An operator of the service, with the name for the audit. */
export interface Admin {
  readonly name: string;
  readonly scopes: readonly AdminScope[];
  readonly token: string;
}

export const ADMIN_TOKENS_RULE =
  'different operators as name:scope+scope:token with commas between them, such as ann:read+money:…; scopes are ' +
  `${ADMIN_SCOPES.join(', ')} or all, tokens 16 characters or more`;

const ENTRY = /^([a-z][a-z0-9-]{0,29}):([a-z+]+):([^\s,]{16,500})$/;

const isScope = (word: string): word is AdminScope => (ADMIN_SCOPES as readonly string[]).includes(word);

const adminIn = (text: string): Admin | undefined => {
  const [, name = '', words = '', token = ''] = ENTRY.exec(text) ?? [];
  const scopes = words === 'all' ? ADMIN_SCOPES : words.split('+').filter(isScope);
  const isWhole = scopes.length > 0 && (words === 'all' || scopes.length === words.split('+').length);
  return isWhole ? { name, scopes, token } : undefined;
};

/** Reads `ADMIN_TOKENS`; undefined if an entry is malformed, or if two share a name or a token. */
export const parseAdmins = (entries: readonly string[]): readonly Admin[] | undefined => {
  const admins = entries.flatMap((entry) => adminIn(entry) ?? []);
  const isDifferent = (values: readonly string[]): boolean => new Set(values).size === entries.length;
  return isDifferent(admins.map(({ name }) => name)) && isDifferent(admins.map(({ token }) => token))
    ? admins
    : undefined;
};
