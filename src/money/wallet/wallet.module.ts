import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { ChannelsController } from './channels.controller';
import { ChannelsService } from './channels.service';
import { TopUpPricer } from './top-up.pricer';
import { WalletController } from './wallet.controller';
import { WalletService } from './wallet.service';

@Module({
  imports: [BillingModule],
  controllers: [ChannelsController, WalletController],
  providers: [ChannelsService, TopUpPricer, WalletService],
})
export class WalletModule {}
