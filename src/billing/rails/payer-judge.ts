import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '../../accounts/account-links';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { callerOf } from '../../platform/http/limits/caller-address';
import { Door, type Standing } from '../../platform/http/body/door';
import { MEDIA_BYTES_MAX } from '../../platform/media/media-kind';
import { InsufficientFunds } from '../charges/charges.errors';
import { ApiKeyRail } from './api-key/api-key.rail';
import { WalletRail } from './wallet/wallet.rail';
import { X402Rail } from './x402/x402.rail';

/**
 * Says before a body is taken in whether its caller could pay for anything at all. What the call costs is not known yet;
 * that the balance covers it is looked at once it is, and by the hold.
 */
@Injectable()
export class PayerJudge implements OnModuleInit {
  constructor(
    private readonly door: Door,
    private readonly x402: X402Rail,
    private readonly keys: ApiKeyRail,
    private readonly wallets: WalletRail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.door.judge('payer', (request) => this.judge(request));
  }

  private async judge(request: FastifyRequest): Promise<Standing> {
    if (this.x402.claims(request)) {
      const payer = await this.x402.payerBehind(request, this.settings.price.mediaFloor);
      return payer === undefined ? stranger(request) : proven(payer);
    }
    const rail = [this.keys, this.wallets].find((one) => one.claims(request));
    if (rail === undefined) {
      return stranger(request);
    }
    const payer = await rail.payerOf(request);
    const balance = (await rail.balance(payer)) ?? 0n;
    const least = this.settings.price.chatFloor;
    if (balance >= least) {
      return proven(payer.id);
    }
    const { topUp } = accountLinks(this.settings.http.publicUrl);
    const refusal = new InsufficientFunds(least, balance as typeof least, { links: { topUp } });
    return { ...stranger(request), refusal };
  }
}

const stranger = (request: FastifyRequest): Standing => ({
  isProven: false,
  mediaBytesMax: 0,
  owner: callerOf(request),
});

const proven = (owner: string): Standing => ({ isProven: true, mediaBytesMax: MEDIA_BYTES_MAX.video, owner });
