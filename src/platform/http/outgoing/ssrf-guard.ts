import { isIP } from 'node:net';

import { Inject, Injectable, Optional } from '@nestjs/common';

import { unlessAborted } from '#kernel/deadline';
import { type OutgoingAnswer, type OutgoingCall, outgoing } from './outgoing';
import { isPublicAddress } from './private-address';
import { Dialer, HostResolver, PinnedDialer, SystemResolver } from './safe-fetch-network';
import { AllowedHosts, type FetchTarget, RefusedAddress, targetOf } from './address-check';
import { SETTINGS } from '../../config/settings';
import type { OutgoingSettings } from './outgoing.settings';

const CONNECT_MS_MAX = 5_000;
const HEADER_BYTES_MAX = 16_384;

export type SsrfGuardedCall = Pick<
  OutgoingCall,
  'method' | 'headers' | 'body' | 'signal' | 'headersMsMax' | 'onSent'
>;

/**
 * Calls addresses that callers name, and refuses hosts that only this machine or its network can reach (SSRF). Each
 * call resolves the name again and opens a new connection.
 */
@Injectable()
export class SsrfGuard {
  private readonly allowed: AllowedHosts;
  private readonly resolver: HostResolver;
  private readonly dialer: Dialer;

  constructor(
    @Inject(SETTINGS) settings: Pick<OutgoingSettings, 'fetchAllowHosts'>,
    @Optional() resolver?: HostResolver,
    @Optional() dialer?: Dialer,
  ) {
    this.allowed = new AllowedHosts(settings.fetchAllowHosts);
    this.resolver = resolver ?? new SystemResolver();
    this.dialer = dialer ?? new PinnedDialer();
  }

  /** Parses an address, and refuses an address that the service would never call. It resolves no name. */
  targetOf(url: string, base?: URL, plainHttp?: boolean): FetchTarget {
    return targetOf(url, this.allowed, base, plainHttp);
  }

  async ask(target: FetchTarget, call: SsrfGuardedCall): Promise<OutgoingAnswer> {
    const addresses = await this.checkedAddresses(target, call.signal);
    return outgoing({
      ...call,
      url: target.url,
      connectMsMax: CONNECT_MS_MAX,
      headerBytesMax: HEADER_BYTES_MAX,
      dial: this.dialer.dialOf(addresses),
    });
  }

  /** Refuses a host if any of its addresses is private, because a connection may use any of them. */
  private async checkedAddresses(
    { host, isAllowed }: FetchTarget,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (isIP(host) !== 0) {
      return [host];
    }
    const addresses = await unlessAborted(signal, this.resolver.addressesOf(host, { isAllowed }));
    const usable = addresses.length > 0 && (isAllowed || addresses.every(isPublicAddress));
    if (!usable) {
      // A name that does not exist gets the same message, so a caller can't probe for internal names.
      throw new RefusedAddress('its host has no public address');
    }
    return addresses;
  }
}
