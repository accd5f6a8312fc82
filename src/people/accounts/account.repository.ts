import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { constraintOf } from '#platform/database/error-fields';
import { tableOf } from '#platform/database/table';
import { Account, type Person } from './account.entity';

const ACCOUNTS = tableOf(Account);

@Injectable()
export class AccountRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Account) private readonly accounts: Repository<Account>,
  ) {}

  /** Returns undefined if the address has an account already. */
  async add(id: string, email: string, passwordHash: string, proofDue: boolean): Promise<Person | undefined> {
    try {
      await this.accounts.insert({ id, email, passwordHash, proofDue });
    } catch (error) {
      if (constraintOf(error) === 'account_email') return undefined;
      throw error;
    }
    return (await this.find(id)) as Person | undefined;
  }

  async find(id: string): Promise<Account | undefined> {
    return present(await this.accounts.findOneBy({ id }));
  }

  /** The only method that reads a password hash. Its caller checks a password with it. */
  async withPassword(
    column: 'email' | 'id',
    value: string,
  ): Promise<{ readonly account: Person; readonly passwordHash: string } | undefined> {
    const known = await this.accounts
      .createQueryBuilder('account')
      .addSelect('account.passwordHash')
      .where({ [column]: value })
      .getOne();
    if (known === null) return undefined;
    const { passwordHash = '', ...account } = known;
    return { account: account as Person, passwordHash };
  }

  /** A repeated call does not change the time of the first one. The owner of the address can't undo it. */
  ban(id: string): Promise<Account | undefined> {
    return this.set(id, 'banned_at = coalesce(banned_at, now()), closed_at = null', 'account-ban');
  }

  unban(id: string): Promise<Account | undefined> {
    return this.set(id, 'banned_at = null, closed_at = null', 'account-unban');
  }

  /**
   * The newest accounts come first, because ids begin with their time. `before` is the last id of the previous page.
   * `search` is an id, or a part of an email address or of a name.
   */
  page(limit: number, before?: string, search?: string): Promise<Account[]> {
    const query = this.accounts.createQueryBuilder('account').orderBy('account.id', 'DESC').take(limit);
    if (before !== undefined) query.andWhere('account.id < :before', { before });
    if (search !== undefined) {
      query.andWhere('(account.id = :search or account.email ilike :part or account.name ilike :part)', {
        search,
        part: `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
      });
    }
    return query.getMany();
  }

  private async set(id: string, changes: string, name: string): Promise<Account | undefined> {
    const row = await this.db.one(
      `update account set ${changes} where id = $1 returning ${ACCOUNTS.columns}`,
      [id],
      name,
    );
    return row && ACCOUNTS.read(row);
  }
}
