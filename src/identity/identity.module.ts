import { Module } from '@nestjs/common';

import { HttpModule } from '../platform/http/http.module';
import { ContractWallets } from './contract-wallets';
import { Sanctions } from './sanctions';
import { WalletSignIn } from './wallet-sign-in';

@Module({
  imports: [HttpModule],
  providers: [ContractWallets, Sanctions, WalletSignIn],
  exports: [Sanctions, WalletSignIn],
})
export class IdentityModule {}
