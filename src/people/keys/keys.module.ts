import { Module } from '@nestjs/common';

import { AccountsModule } from '#people/accounts/accounts.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { KeyLookup } from './key-lookup';
import { EndedKeyNotifier } from './ended-key-notifier';
import { KeyMaker } from './key-maker';
import { KeyPermission } from './key-permission';
import { KeyRepository } from './key.repository';
import { KeysController } from './keys.controller';
import { KeysService } from './keys.service';
import { MemberLimits } from './limits-of-developers-keys';
import { ScopeModels } from './scope-models';

/** API keys: making, changing and ending them, and finding their owners. */
@Module({
  imports: [AccountsModule, DatabaseModule, HttpModule],
  controllers: [KeysController],
  providers: [
    KeyLookup,
    EndedKeyNotifier,
    KeyMaker,
    KeyPermission,
    KeyRepository,
    KeysService,
    MemberLimits,
    ScopeModels,
  ],
  exports: [KeyLookup, EndedKeyNotifier, KeyMaker, KeyPermission, KeyRepository, MemberLimits, ScopeModels],
})
export class KeysModule {}
