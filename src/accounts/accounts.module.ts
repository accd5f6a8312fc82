import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { DatabaseModule } from '../platform/database/database.module';
import { HttpModule } from '../platform/http/http.module';
import { Account } from './account.entity';
import { AccountRepository } from './account.repository';
import { AccountsController } from './accounts.controller';
import { AccountsService } from './accounts.service';
import { Passwords } from './passwords';
import { SessionAccounts } from './session-accounts';
import { Session } from './session.entity';
import { SessionRepository } from './session.repository';

/** Accounts and sessions. */
@Module({
  imports: [DatabaseModule, HttpModule, TypeOrmModule.forFeature([Account, Session])],
  controllers: [AccountsController],
  providers: [AccountRepository, AccountsService, Passwords, SessionAccounts, SessionRepository],
  exports: [AccountsService, SessionAccounts],
})
export class AccountsModule {}
