import { Module } from '@nestjs/common';

import { ContractWallets } from './contract-wallets';
import { Sanctions } from './sanctions';
import { WalletSignIn } from './wallet-sign-in';

@Module({ providers: [ContractWallets, Sanctions, WalletSignIn], exports: [Sanctions, WalletSignIn] })
export class IdentityModule {}
