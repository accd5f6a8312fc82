import { Module } from '@nestjs/common';

import { AccountsModule } from '../accounts/accounts.module';
import { DatabaseModule } from '../platform/database/database.module';
import { KeyAuthority } from './key-authority';
import { KeyRepository } from './key.repository';
import { KeysController } from './keys.controller';
import { KeysService } from './keys.service';

/** API keys: their life, and whom each one acts for. */
@Module({
  imports: [AccountsModule, DatabaseModule],
  controllers: [KeysController],
  providers: [KeyAuthority, KeyRepository, KeysService],
  exports: [KeyAuthority],
})
export class KeysModule {}
