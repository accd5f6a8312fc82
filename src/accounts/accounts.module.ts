import { Module } from '@nestjs/common';

import { DatabaseModule } from '../platform/database/database.module';
import { HttpModule } from '../platform/http/http.module';
import { AccountRepository } from './account.repository';
import { AccountsController } from './accounts.controller';
import { AccountsService } from './accounts.service';
import { Passwords } from './passwords';
import { SessionAccounts } from './session-accounts';
import { SessionRepository } from './session.repository';

/** Who has an account and who is signed in. */
@Module({
  imports: [DatabaseModule, HttpModule],
  controllers: [AccountsController],
  providers: [AccountRepository, AccountsService, Passwords, SessionAccounts, SessionRepository],
  exports: [AccountsService, SessionAccounts],
})
export class AccountsModule {}
