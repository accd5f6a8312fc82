import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';

import { AccountsModule } from '#people/accounts/accounts.module';
import { DiscoveryModule } from '#faces/discovery/discovery.module';
import { HttpModule } from '#platform/http/http.module';
import { PageNotFoundFilter } from './page-not-found.filter';
import { PagesController } from './pages.controller';
import { ReadyPages } from './ready-pages';

/** The pages for people. They use the API like any other caller. */
@Module({
  imports: [AccountsModule, DiscoveryModule, HttpModule],
  controllers: [PagesController],
  providers: [ReadyPages, { provide: APP_FILTER, useClass: PageNotFoundFilter }],
})
export class ConsoleModule {}
