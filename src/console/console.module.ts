import { Module } from '@nestjs/common';

import { AccountsModule } from '../accounts/accounts.module';
import { DiscoveryModule } from '../discovery/discovery.module';
import { PagesController } from './pages.controller';

/** The pages for people. They are callers like any other and use the API. */
@Module({ imports: [AccountsModule, DiscoveryModule], controllers: [PagesController] })
export class ConsoleModule {}
