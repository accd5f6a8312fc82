import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';

import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type CityResponse, type Reader, open } from 'maxmind';

import { type WalletAddress, parseWallet } from '#kernel/wallet-address';
import { routeOptionsOf } from '#platform/http/routes/route';
import { SETTINGS } from '#platform/config/settings';
import type { SanctionsSettings } from './sanctions.settings';
import { RegionUnavailable, WalletBlocked } from './identity.errors';
import type { HttpSettings } from '#platform/http/http.settings';
import type { ProcessSettings } from '#platform/config/process.settings';

/** A setting names a file that can't be used, so the start fails. */
export class BadSanctions extends Error {}

const blockListOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return list;
};

const walletsIn = (path: string | undefined): ReadonlySet<WalletAddress> => {
  if (path === undefined) return new Set();
  let lines: string[];
  try {
    lines = readFileSync(path, 'utf8').split(/\r?\n/);
  } catch (error) {
    throw new BadSanctions(`SANCTIONED_WALLETS_FILE can't be read: ${(error as Error).message}`);
  }
  return new Set(
    lines
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const wallet = parseWallet(line);
        if (wallet === undefined)
          throw new BadSanctions(`SANCTIONED_WALLETS_FILE holds ${line}, which is no wallet`);
        return wallet;
      }),
  );
};

/**
 * Refuses the parties that we may not serve. It checks the region before the body is read, and the wallet after it is
 * proven. Callers from an unknown region are admitted.
 */
@Injectable()
export class Sanctions implements OnModuleInit {
  private readonly logger = new Logger(Sanctions.name);
  private readonly regions: ReadonlySet<string>;
  private readonly wallets: ReadonlySet<WalletAddress>;
  private readonly proxies: BlockList;
  private geo: Reader<CityResponse> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: SanctionsSettings & HttpSettings & ProcessSettings,
  ) {
    this.regions = new Set(settings.regions.sanctioned);
    this.wallets = walletsIn(settings.regions.walletsFile);
    this.proxies = blockListOf(settings.http.trustedProxies);
  }

  /** Whether the service knows the region of callers. The manifest shows this. */
  get knowsRegions(): boolean {
    const { header, geoipFile } = this.settings.regions;
    return geoipFile !== undefined || (header !== undefined && this.settings.http.trustedProxies.length > 0);
  }

  async onModuleInit(): Promise<void> {
    const { geoipFile } = this.settings.regions;
    if (geoipFile !== undefined) {
      try {
        this.geo = await open<CityResponse>(geoipFile);
      } catch (error) {
        throw new BadSanctions(`GEOIP_FILE can't be read: ${(error as Error).message}`);
      }
    }
    if (!this.knowsRegions && this.regions.size > 0 && this.settings.mode === 'production') {
      this.logger.warn(
        'Nothing says where callers are: set GEOIP_FILE, or REGION_HEADER with TRUSTED_PROXIES.',
      );
    }
  }

  /** Refuses callers from a sanctioned region on routes that generate content. It runs before the body is read. */
  refuseRegion(request: FastifyRequest): void {
    if (routeOptionsOf(request).generates === true && this.isSanctioned(request))
      throw new RegionUnavailable();
  }

  refuseWallet(wallet: WalletAddress | undefined): void {
    if (wallet !== undefined && this.isBlocked(wallet)) throw new WalletBlocked();
  }

  /** Whether an owner is blocked. Accounts never are, because the list contains only wallets. */
  isBlocked(owner: string): boolean {
    return (this.wallets as ReadonlySet<string>).has(owner);
  }

  private isSanctioned(request: FastifyRequest): boolean {
    const { country, part } = this.regionOf(request);
    return this.regions.has(country) || (part !== '' && this.regions.has(`${country}-${part}`));
  }

  /** The region from the header. The header counts only if a trusted proxy sent it, because anybody can send one. */
  private regionOf(request: FastifyRequest): { readonly country: string; readonly part: string } {
    const { header } = this.settings.regions;
    const peer = request.socket.remoteAddress ?? '';
    const value = header === undefined ? undefined : request.headers[header];
    if (
      value !== undefined &&
      isIP(peer) !== 0 &&
      this.proxies.check(peer, isIP(peer) === 6 ? 'ipv6' : 'ipv4')
    ) {
      const [country = '', part = ''] = String(value).toUpperCase().split('-', 2);
      return { country, part };
    }
    const location = this.geo?.get(request.ip);
    return { country: location?.country?.iso_code ?? '', part: location?.subdivisions?.[0]?.iso_code ?? '' };
  }
}
