import { Module } from '@nestjs/common';

import { CatalogModule } from '../catalog/catalog.module';
import { PriceLock } from './quotes/price-lock';
import { QuoteController } from './quotes/quote.controller';
import { QuoteService } from './quotes/quote.service';

@Module({
  imports: [CatalogModule],
  controllers: [QuoteController],
  providers: [PriceLock, QuoteService],
})
export class BillingModule {}
