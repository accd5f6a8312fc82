import { createHash } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

import { Clock } from '#kernel/clock';
import type { WalletAddress } from '#kernel/wallet-address';
import { headerIn } from '#platform/http/credentials';
import { outerOf } from '#platform/http/inner-calls';
import { pathOf } from '#platform/http/routes/route';
import { recoverSigner } from '#platform/signatures/recover-signer';
import { textDigest } from '#platform/signatures/text-digest';
import { ContractWallets } from './contract-wallets';
import { InvalidSignIn } from './identity.errors';
import { checkSignInAge } from './sign-in-age';
import { type SignIn, readSignInHeader } from './sign-in-header';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import type { NetworkSettings } from '#money/networks/networks.settings';

/** The names of the header, in order of precedence. */
export const SIGN_IN_HEADERS = ['sign-in-with-x', 'x-sign-in-with-x'] as const;

/**
 * The size of the cache of verified headers. The signature of the same bytes stays valid, and only the age must be
 * checked again. The keys are hashes and the size is limited, because anybody can make wallets and long messages.
 */
const REMEMBERED_BYTES_MAX = 8 * 1024 * 1024;
/** The memory of a parsed header for each character. It contains the text, and the bytes of the text. */
const BYTES_PER_CHAR = 4;

/** Proves which wallet signed a request's `Sign-In-With-X` header. */
@Injectable()
export class WalletSignIn {
  private readonly verified = new LRUCache<string, SignIn>({ maxSize: REMEMBERED_BYTES_MAX });
  private readonly domains: ReadonlySet<string>;
  private readonly origin: string;
  /** The path of the public address, which a proxy removes; usually empty. */
  private readonly prefix: string;

  constructor(
    private readonly clock: Clock,
    private readonly contracts: ContractWallets,
    @Inject(SETTINGS) private readonly settings: HttpSettings & NetworkSettings,
  ) {
    const publicUrl = new URL(settings.http.publicUrl);
    this.domains = new Set([settings.serviceDomain, publicUrl.host]);
    this.origin = publicUrl.origin;
    this.prefix = publicUrl.pathname.replace(/\/$/, '');
  }

  /** The header under either of its names; undefined if there is none. */
  headerOf(request: FastifyRequest): string | undefined {
    return headerIn(request, SIGN_IN_HEADERS);
  }

  /** The wallet that signed the request's header. It throws the reason if the header is invalid. */
  async walletOf(request: FastifyRequest): Promise<WalletAddress> {
    return (await this.signInOf(request)).message.wallet;
  }

  /**
   * Checks a sign-in that is valid only once, and returns its nonce, which the caller must store. The message must name
   * this route, so that a sign-in for another route can't be used here.
   */
  async boundNonceOf(request: FastifyRequest): Promise<string> {
    const { message } = await this.signInOf(request);
    const resources = this.publicPathsOf(request).map((path) => this.origin + path);
    if (!message.resources.some((named) => resources.includes(named)))
      throw new InvalidSignIn(`for this route it must name the resource ${resources.join(' or ')}`);
    return message.nonce;
  }

  private async signInOf(request: FastifyRequest): Promise<SignIn> {
    const header = this.headerOf(request) ?? '';
    const name = nameOf(header);
    const known = this.verified.get(name);
    const signIn = known ?? readSignInHeader(header);
    if (signIn === undefined) {
      throw new InvalidSignIn(
        'it must be base64 of {"message", "signature"}, the message being EIP-4361 text',
      );
    }
    this.checkWords(signIn, request);
    checkSignInAge(signIn.message, this.clock.now());
    if (known === undefined) {
      await this.checkSignature(signIn);
      this.verified.set(name, signIn, { size: header.length * BYTES_PER_CHAR });
    }
    return signIn;
  }

  private checkWords({ message, flat }: SignIn, request: FastifyRequest): void {
    if (!this.domains.has(message.domain))
      throw new InvalidSignIn(`the message must name the domain ${this.settings.serviceDomain}`);
    if (flat && originOf(message.uri) !== this.origin)
      throw new InvalidSignIn(`its uri must begin with ${this.origin}`);
    const { networks } = this.settings.x402;
    if (flat && !networks.some(({ chainId }) => chainId === message.chainId))
      throw new InvalidSignIn(`its chain must be ${networks.map(({ network }) => network).join(' or ')}`);
    const paths = this.publicPathsOf(request);
    const own = message.resources.filter((resource) => originOf(resource) === this.origin);
    if (own.length > 0 && !own.some((resource) => paths.includes(new URL(resource).pathname)))
      throw new InvalidSignIn('it is bound to another resource than this one');
  }

  private publicPathsOf(request: FastifyRequest): readonly string[] {
    const paths = pathsOf(request);
    return this.prefix === '' ? paths : [...paths.map((path) => this.prefix + path), ...paths];
  }

  private async checkSignature({ text, message, signature }: SignIn): Promise<void> {
    const digest = textDigest(text);
    if (recoverSigner(digest, signature) === message.wallet) return;
    const { wallet, chainId } = message;
    if (!(await this.contracts.accepts({ chainId, wallet, message: text, signature })))
      throw new InvalidSignIn(`the signature is not that of ${message.wallet} over this message`);
  }
}

const nameOf = (header: string): string => createHash('sha256').update(header).digest('base64');

/**
 * The addresses of a request, and of its outer request if the service made it for a caller. A 402 names the address of
 * the route, and a caller may know only the one that it sent.
 */
const pathsOf = (request: FastifyRequest): readonly string[] => {
  const outer = outerOf(request);
  const paths = [request, ...(outer === undefined ? [] : [outer])].flatMap((one) => [
    pathOf(one),
    one.url.split('?', 1)[0] ?? '',
  ]);
  return [...new Set(paths)];
};

const originOf = (uri: string): string | undefined => (URL.canParse(uri) ? new URL(uri).origin : undefined);
