import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { present } from '#kernel/present';
import { Database, type Queries } from '#platform/database/database';
import { takeOwnerLock } from '#platform/database/owner-lock';
import type { Challenge } from './passkey-challenges';
import { Passkey } from './passkey.entity';
import { PASSKEYS_MAX } from './passkey-limits';

export type PasskeyDraft = Pick<
  Passkey,
  'id' | 'accountId' | 'name' | 'publicKey' | 'counter' | 'transports'
>;

@Injectable()
export class PasskeyRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Passkey) private readonly passkeys: Repository<Passkey>,
  ) {}

  listOf(accountId: string): Promise<Passkey[]> {
    return this.passkeys.find({ where: { accountId }, order: { createdAt: 'desc', id: 'asc' } });
  }

  async find(id: string): Promise<Passkey | undefined> {
    return present(await this.passkeys.findOneBy({ id }));
  }

  /** Returns false if the account has too many passkeys, or if this passkey exists already. */
  async add(
    { id, accountId, name, publicKey, counter, transports }: PasskeyDraft,
    challenge: Challenge,
  ): Promise<boolean | 'answered'> {
    return this.db.transaction(async (queries) => {
      if (!(await this.answer(queries, challenge))) return 'answered';
      await takeOwnerLock(queries, 'passkeys', accountId);
      const row = await queries.one(
        `insert into passkey (id, account_id, name, public_key, counter, transports)
         select $1, $2, $3, $4, $5, $6 where (select count(*) from passkey where account_id = $2) < ${PASSKEYS_MAX}
         on conflict do nothing returning id`,
        [id, accountId, name, publicKey, counter, transports],
        'passkey-add',
      );
      return row !== undefined;
    });
  }

  /**
   * Records a use. Returns false if any passkey has answered this challenge before, or this passkey a newer one.
   */
  async use(id: string, counter: number, challenge: Challenge): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      if (!(await this.answer(queries, challenge))) return false;
      const row = await queries.one(
        `update passkey set counter = $2, challenge_at = $3, used_at = now()
         where id = $1 and (challenge_at is null or challenge_at < $3) returning id`,
        [id, counter, challenge.at],
        'passkey-use',
      );
      return row !== undefined;
    });
  }

  /**
   * Stores that a challenge was answered, with a right signature, until it is too old. Returns false if it was answered
   * before. Each answer deletes old ones, so no sweep is needed.
   */
  private async answer(queries: Queries, { hash, at }: Challenge): Promise<boolean> {
    const row = await queries.one(
      `with old as (
         delete from answered_challenge where challenge_hash in (
           select challenge_hash from answered_challenge where issued_at < now() - interval '1 hour'
           order by issued_at limit 100 for update skip locked)
       )
       insert into answered_challenge (challenge_hash, issued_at) values ($1, $2)
       on conflict do nothing returning challenge_hash`,
      [hash, at],
      'passkey-challenge-answer',
    );
    return row !== undefined;
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const { affected } = await this.passkeys.delete({ accountId, id });
    return affected === 1;
  }
}
