import { Module } from '@nestjs/common';

import { BillingModule } from '../billing/billing.module';
import { TopUpPricer } from './top-up.pricer';
import { WalletController } from './wallet.controller';
import { WalletService } from './wallet.service';

@Module({
  imports: [BillingModule],
  controllers: [WalletController],
  providers: [TopUpPricer, WalletService],
})
export class WalletModule {}
