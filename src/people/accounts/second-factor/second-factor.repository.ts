import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, Not, type Repository } from 'typeorm';

import { present } from '#kernel/present';
import { Database, type Queries } from '#platform/database/database';
import { GUESSES_MAX, SET_UP_MINUTES } from './second-factor-limits';
import { RecoveryCode } from './recovery-code.entity';
import { SecondFactor } from './second-factor.entity';

@Injectable()
export class SecondFactorRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(SecondFactor) private readonly factors: Repository<SecondFactor>,
    @InjectRepository(RecoveryCode) private readonly codes: Repository<RecoveryCode>,
  ) {}

  async confirmed(accountId: string): Promise<SecondFactor | undefined> {
    return present(await this.factors.findOneBy({ accountId, confirmedAt: Not(IsNull()) }));
  }

  /** The second factor with an unfinished set-up. */
  async pending(accountId: string): Promise<SecondFactor | undefined> {
    const since = new Date(Date.now() - SET_UP_MINUTES * 60_000);
    return present(
      await this.factors.findOneBy({ accountId, confirmedAt: IsNull(), createdAt: MoreThan(since) }),
    );
  }

  /** Begins a set-up, or replaces an unfinished one. Returns false if there is a confirmed second factor. */
  async begin(accountId: string, sealed: Buffer): Promise<boolean> {
    const row = await this.db.one(
      `insert into second_factor (account_id, sealed) values ($1, $2)
       on conflict (account_id) do update set sealed = excluded.sealed, created_at = now()
       where second_factor.confirmed_at is null returning account_id`,
      [accountId, sealed],
      'second-factor-begin',
    );
    return row !== undefined;
  }

  /** Makes the second factor required. Returns false if another call finished or replaced the set-up. */
  async confirm(
    { accountId, sealed }: SecondFactor,
    step: number,
    codeHashes: readonly Buffer[],
  ): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      // Sign-ins take this lock, too. A sign-in without a code either finishes before this statement, or fails because
      // it now needs a code.
      await queries.rows(
        'select from account where id = $1 for no key update',
        [accountId],
        'second-factor-lock',
      );
      const confirmed = await queries.one(
        `update second_factor set confirmed_at = now(), last_step = $3
         where account_id = $1 and sealed = $2 and confirmed_at is null returning account_id`,
        [accountId, sealed, step],
        'second-factor-confirm',
      );
      if (confirmed === undefined) return false;
      await replaceCodes(queries, accountId, codeHashes);
      return true;
    });
  }

  /**
   * Counts a guess, before the code is checked. Returns the number of guesses within a day, or undefined if there were
   * too many.
   */
  async countGuess(accountId: string): Promise<number | undefined> {
    const row = await this.db.one<{ guesses: number }>(
      `update second_factor set
         guesses = case when guesses_since > now() - interval '1 day' then guesses + 1 else 1 end,
         guesses_since = case when guesses_since > now() - interval '1 day' then guesses_since else now() end
       where account_id = $1 and confirmed_at is not null
         and (guesses < ${GUESSES_MAX} or guesses_since <= now() - interval '1 day') returning guesses`,
      [accountId],
      'second-factor-count-guess',
    );
    return row?.guesses;
  }

  /** Accepts the code of a time step only once, and removes its guess from the count. */
  async useStep(accountId: string, step: number): Promise<boolean> {
    const row = await this.db.one(
      `update second_factor set last_step = $2, guesses = greatest(guesses - 1, 0)
       where account_id = $1 and confirmed_at is not null and (last_step is null or last_step < $2) returning account_id`,
      [accountId, step],
      'second-factor-use-step',
    );
    return row !== undefined;
  }

  async useRecoveryCode(accountId: string, codeHash: Buffer): Promise<boolean> {
    const row = await this.db.one(
      `update recovery_code set used_at = now()
       where code_hash = $2 and account_id = $1 and used_at is null returning account_id`,
      [accountId, codeHash],
      'recovery-code-use',
    );
    return row !== undefined;
  }

  renewCodes(accountId: string, codeHashes: readonly Buffer[]): Promise<void> {
    return this.db.transaction((queries) => replaceCodes(queries, accountId, codeHashes));
  }

  codesLeft(accountId: string): Promise<number> {
    return this.codes.countBy({ accountId, usedAt: IsNull() });
  }

  /** The database deletes the recovery codes as well. */
  async remove(accountId: string): Promise<void> {
    await this.factors.delete({ accountId });
  }

  /** A page of all second factors, in the order of their accounts. */
  after(accountId: string, limit: number): Promise<SecondFactor[]> {
    return this.factors.find({
      where: { accountId: MoreThan(accountId) },
      order: { accountId: 'asc' },
      take: limit,
    });
  }

  /** Stores the secret, encrypted with another key. It does nothing if another process did so first. */
  async reseal({ accountId, sealed }: SecondFactor, resealed: Buffer): Promise<void> {
    await this.factors.update({ accountId, sealed }, { sealed: resealed });
  }
}

const replaceCodes = async (
  queries: Queries,
  accountId: string,
  codeHashes: readonly Buffer[],
): Promise<void> => {
  await queries.rows('delete from recovery_code where account_id = $1', [accountId], 'recovery-code-clear');
  await queries.rows(
    'insert into recovery_code (code_hash, account_id) select unnest($2::bytea[]), $1',
    [accountId, codeHashes],
    'recovery-code-add',
  );
};
