import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Runs the check on a project with one file, and returns its result. */
const checkOf = (file: string, text: string): { readonly ok: boolean; readonly said: string } => {
  const root = mkdtempSync(join(tmpdir(), 'lamppost-ledger-'));
  try {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    const { status, stdout } = spawnSync(process.execPath, ['tools/ledger-writes.mjs', root], {
      encoding: 'utf8',
    });
    return { ok: status === 0, said: stdout };
  } finally {
    rmSync(root, { recursive: true });
  }
};

describe('the check that keeps money in one room', () => {
  it.each([
    'insert into ledger_entry (account_id) values ($1)',
    'UPDATE ledger_account set balance_micro = 0',
    'with gone as (\n  delete\n  from only ledger_entry where seq = 1)',
    'merge into public.ledger_account using drafted',
    'truncate table "ledger_entry"',
  ])('finds %j outside of it', (statement) => {
    const { ok, said } = checkOf(
      'src/money/billing/rails/voucher/voucher.sql.ts',
      `// One.\nexport const S = \`${statement}\`;`,
    );

    expect(ok).toBe(false);
    expect(said).toMatch(
      /^src[\\/]money[\\/]billing[\\/]rails[\\/]voucher[\\/]voucher\.sql\.ts:[23] writes the ledger/,
    );
  });

  it('lets the ledger itself write, and everybody read', () => {
    const write = "export const S = 'update ledger_account set balance_micro = 0'";
    expect(checkOf('src/money/billing/ledger/ledger.sql.ts', write).ok).toBe(true);
    const read = "export const S = 'select from ledger_entry for update of ledger_entry'";
    expect(checkOf('src/money/wallet/wallet.repository.ts', read).ok).toBe(true);
  });

  it('finds nothing in the current code', () => {
    expect(spawnSync(process.execPath, ['tools/ledger-writes.mjs']).status).toBe(0);
  });
});
