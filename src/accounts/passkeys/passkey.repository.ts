import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { present } from '../../kernel/present';
import { Database } from '../../platform/database/database';
import { takeOwnerLock } from '../../platform/database/owner-lock';
import { Passkey } from './passkey.entity';

export const PASSKEYS_MAX = 10;

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
  async add({ id, accountId, name, publicKey, counter, transports }: PasskeyDraft): Promise<boolean> {
    return this.db.transaction(async (queries) => {
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

  /** Records a use. Returns false if the passkey has answered this challenge, or a newer one, before. */
  async use(id: string, counter: number, challengeAt: Date): Promise<boolean> {
    const row = await this.db.one(
      `update passkey set counter = $2, challenge_at = $3, used_at = now()
       where id = $1 and (challenge_at is null or challenge_at < $3) returning id`,
      [id, counter, challengeAt],
      'passkey-use',
    );
    return row !== undefined;
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const { affected } = await this.passkeys.delete({ accountId, id });
    return affected === 1;
  }
}
