import { Module } from '@nestjs/common';

import { AccountsModule } from '../accounts/accounts.module';
import { PagesController } from './pages.controller';

/** The pages for people. They are callers like any other: what they know, they ask the API for. */
@Module({ imports: [AccountsModule], controllers: [PagesController] })
export class ConsoleModule {}
