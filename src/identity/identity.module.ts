import { Module } from '@nestjs/common';

import { ContractWallets } from './contract-wallets';
import { WalletSignIn } from './wallet-sign-in';

@Module({ providers: [ContractWallets, WalletSignIn], exports: [WalletSignIn] })
export class IdentityModule {}
