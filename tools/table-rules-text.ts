type Query = (statement: string) => Promise<readonly Readonly<Record<string, string>>[]>;

/** The effect of each trigger function. The check fails if a function has no sentence here. */
const TRIGGER_FUNCTIONS: Readonly<Record<string, string>> = {
  api_key_has_ended: 'Writes the event of the end of a deleted key, for listeners in the service.',
  account_owns_itself: 'Makes a person the owner of their own organisation.',
  audit_is_append_only: 'Refuses every change of an audit entry.',
  channel_charge_is_signed:
    'Refuses a charge by channel without a stored voucher that covers it, and a charged one without its new total.',
  charge_moves_forward:
    'Refuses a state change that goes back, and a new payer, price or call. Only a held charge that depends on usage may get cheaper.',
  count_free_reference: 'Counts the free references of an owner and of an address, and refuses one too many.',
  count_reference: 'Counts the references of an owner, and refuses one too many.',
  end_endpoints_of_banned: 'Disables the webhooks that the person of a closed account made.',
  end_endpoints_of_key: 'Deletes the webhooks that a deleted key made.',
  end_endpoints_of_member: 'Disables the webhooks of a member who was removed, or whose role may have none.',
  end_invites_of_banned: 'Ends the open invites that the person of a closed account made.',
  end_invites_of_member:
    'Ends the open invites of a member who was removed, or whose role may not make them.',
  end_keys_of_banned: 'Disables the keys that the person of a closed account made, in every organisation.',
  end_keys_of_member: 'Disables the keys of a member who was removed, or whose role may have none.',
  event_is_written: 'Notifies the event sequencer.',
  key_needs_its_maker:
    'Keeps a key disabled while its maker is no member, may have no keys, or has a closed account.',
  key_stays_within_limit: 'Refuses spending above the limit of a key.',
  invoice_stays: 'Refuses every change of an invoice.',
  invoice_number_follows: 'Refuses a gap in the numbers of invoices.',
  budget_is_kept: 'Refuses spending above the budget of a member.',
  ledger_account_is_misnamed: 'Refuses a ledger account whose name has no known form.',
  ledger_is_append_only: 'Refuses to delete, or to change a row that must stay as it is.',
  prove_charge_rails: 'Refuses a charge on a rail that the service does not have.',
  prove_ledger_accounts: 'Refuses a balance that differs from the last ledger entry of its account.',
  prove_ledger_entries:
    'Refuses an entry that does not continue the balance before it, a debit without its charge, and a refund that reverses no debit.',
  tell_of_key_change: 'Notifies all processes, which forget what they know of the key or of the account.',
  x402_charge_is_paid:
    'Refuses an x402 charge without a payment of its price, and a charged one without proof of the transfer.',
  x402_payer_is_wasteful:
    'Refuses a new payment of a payer whose settlements failed three times within a day.',
  x402_payer_opens_one: 'Refuses a second open call of a payer whose settlement has failed before.',
};

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/\s+/g, ' ');
const code = (text: string): string => `\`${cell(text)}\``;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const TRIGGERS = `
  select c.relname as table, t.tgname as name, p.proname as function,
    regexp_replace(pg_get_triggerdef(t.oid), '^CREATE TRIGGER \\S+ (.*?) ON .*$', '\\1') as event
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
  where not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by 1, 2`;

const CONSTRAINTS = `
  select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as rule, contype as kind
  from pg_constraint where contype in ('c', 'f') and connamespace = 'public'::regnamespace order by 1, 2`;

const UNIQUE = `
  select i.indrelid::regclass::text as table, c.relname as name,
    regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING btree ', '') as rule
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indisunique and not i.indisprimary and c.relnamespace = 'public'::regnamespace order by 1, 2`;

const rowsOf = (rows: readonly Readonly<Record<string, string>>[]): string[][] =>
  rows.map(({ table: name = '', name: rule = '', rule: text = '' }) => [code(name), code(rule), code(text)]);

/** Removes the widths of table columns from the page, because the formatter sets them. */
export const withoutWidths = (page: string): string =>
  page.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');

/** The page of all rules that the tables of a migrated database enforce. */
export const tableRules = async (query: Query): Promise<string> => {
  const triggers = await query(TRIGGERS);
  const unknown = triggers.find(({ function: name = '' }) => TRIGGER_FUNCTIONS[name] === undefined);
  if (unknown !== undefined) throw new Error(`Describe ${unknown['function']} in tools/table-rules-text.ts.`);
  const constraints = await query(CONSTRAINTS);
  const ofKind = (kind: string): string[][] => rowsOf(constraints.filter((one) => one['kind'] === kind));
  return `# Rules that tables enforce

This page lists every rule that the database itself enforces, whatever the code does: triggers, checks, unique indexes and
foreign keys. \`npm run table-rules\` writes it from a migrated database, and \`test/database/table-rules.spec.ts\` compares it.
Primary keys and \`not null\` columns are in the entities.

- [Triggers](#triggers)
- [Checks](#checks)
- [Unique indexes](#unique-indexes)
- [Foreign keys](#foreign-keys)

## Triggers

${table(
  ['Table', 'Trigger', 'When', 'What it does'],
  triggers.map(({ table: on = '', name = '', function: called = '', event = '' }) => [
    code(on),
    code(name),
    event.toLowerCase(),
    TRIGGER_FUNCTIONS[called] ?? '',
  ]),
)}

## Checks

${table(['Table', 'Check', 'Rule'], ofKind('c'))}

## Unique indexes

${table(['Table', 'Index', 'Columns'], rowsOf(await query(UNIQUE)))}

## Foreign keys

${table(['Table', 'Key', 'Rule'], ofKind('f'))}
`;
};
