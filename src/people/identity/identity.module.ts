import { Module } from '@nestjs/common';

import { HttpModule } from '#platform/http/http.module';
import { Adults } from './adults';
import { ContractWallets } from './contract-wallets';
import { Sanctions } from './sanctions';
import { WalletSignIn } from './wallet-sign-in';

@Module({
  imports: [HttpModule],
  providers: [Adults, ContractWallets, Sanctions, WalletSignIn],
  exports: [Adults, Sanctions, WalletSignIn],
})
export class IdentityModule {}
