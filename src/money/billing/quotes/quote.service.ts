import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AudioPriceCalculator } from '#models/catalog/audio-price-calculator';
import { Catalog } from '#models/catalog/catalog';
import type { MediaModel } from '#models/catalog/catalog-models';
import { UnknownModel } from '#models/catalog/catalog.errors';
import { MediaPriceCalculator, optionsOf } from '#models/catalog/media-price-calculator';
import { type PricedCall, requireVendorAt } from '#models/catalog/priced-call';
import { withRefusal } from '#models/catalog/route-costs';
import { ChatPriceCalculator } from '#models/catalog/chat-price-calculator';
import { pricedCharsOf } from '#models/catalog/chat-limits';
import { tokensMaxOf } from '#models/catalog/token-estimate';
import { discounted } from '#models/catalog/volume-discount';
import { InvalidRequest } from '#kernel/app-error';
import { microToJson } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import { ifPresent } from '#kernel/present';
import { PaidRoutes } from '../calls/paid-routes';
import { pricedFor } from '../calls/price-class-of-payer';
import { pricedBody } from '../calls/priced-body';
import { WalletTierRepository } from '../prices/wallet-tier.repository';
import { QuoteLock } from '../prices/quote-lock';
import { Payers } from '../rails/payers';
import { CREDENTIAL_HEADERS, Rails } from '../rails/rails';
import type { QuoteAnswer, QuoteBody } from './quote.dto';

/** Quotes a call with the same pricing that charges it, and locks that price. */
@Injectable()
export class QuoteService {
  constructor(
    private readonly catalog: Catalog,
    private readonly chat: ChatPriceCalculator,
    private readonly media: MediaPriceCalculator,
    private readonly audio: AudioPriceCalculator,
    private readonly locks: QuoteLock,
    private readonly tiers: WalletTierRepository,
    private readonly routes: PaidRoutes,
    private readonly rails: Rails,
    private readonly payers: Payers,
    @Inject(CREDENTIAL_HEADERS) private readonly credentialHeaders: readonly string[],
  ) {}

  /** Quotes a call from the fields that decide its price, so the caller need not send the whole call. */
  quoteModel(body: QuoteBody): Promise<QuoteAnswer> {
    return this.lock(this.price(body), body.payer);
  }

  /** Quotes a call to a paid route with that route's pricer. */
  async quoteCall(path: string, sent: unknown, request: FastifyRequest): Promise<QuoteAnswer> {
    const route = this.routes.at(path);
    if (route === undefined)
      throw new InvalidRequest(`path must be one of ${this.routes.paths.join(', ')}.`, { param: 'path' });
    const { body, priced } = await pricedBody(route.options, route.parts.pricer, request, sent);
    this.catalog.requireSale(priced.modelId);
    return this.lock(await this.atClass(priced, request), body.payer);
  }

  /**
   * The price of the credential that the request proves. Without one, it is the list price. A browser sends its cookie
   * with every request, so an ended session is no fault of a quote.
   */
  private async atClass(priced: PricedCall, request: FastifyRequest): Promise<PricedCall> {
    const rail = priced.forAccounts && this.rails.prepaidClaiming(request);
    if (rail === undefined) return priced;
    try {
      return pricedFor(priced, await this.payers.provenIn(rail, request));
    } catch (error) {
      if (this.credentialHeaders.some((name) => request.headers[name] !== undefined)) throw error;
      return priced;
    }
  }

  /** A quote for a wallet has the discount of the wallet's tier, and is valid for that wallet only. */
  private async lock(priced: PricedCall, wallet: string | undefined): Promise<QuoteAnswer> {
    const payer = wallet === undefined ? undefined : parseWallet(wallet);
    const percent = payer === undefined ? 0 : await this.tiers.percentOf(payer);
    const price = discounted(priced.list, percent, priced.floor);
    requireVendorAt(priced, price);
    const { quoteId, expiresAt } = this.locks.seal(priced, price, payer);
    return {
      modelId: priced.modelId,
      mode: priced.mode,
      priceMicro: microToJson(price),
      listPriceMicro: microToJson(priced.list),
      providerCostMicro: ifPresent(priced.cost, microToJson),
      live: priced.live,
      quoteId,
      expiresAt: expiresAt.toISOString(),
    };
  }

  /** Some makers have one name for work with and without a picture. Here these are two models. */
  private mediaOf({ modelId, image }: QuoteBody): MediaModel | undefined {
    if (!this.catalog.all.media.has(this.catalog.idOf(modelId))) return undefined;
    const media = this.catalog.mediaModel(modelId, image === undefined ? 't2i' : 'i2i');
    if (image !== undefined && (media.mode === 't2i' || media.mode === 't2v'))
      throw new InvalidRequest(`${media.id} takes no source media; leave image out.`, {
        param: 'image',
        remedies: [{ param: 'image' }, { param: 'modelId' }],
      });
    this.catalog.requireSale(media.id);
    return media;
  }

  private price(body: QuoteBody): PricedCall {
    if (body.model !== undefined && body.model !== body.modelId) {
      throw new InvalidRequest('model and modelId name different models; send one.', {
        param: 'model',
        remedies: [{ param: 'model' }],
      });
    }
    const media = this.mediaOf(body);
    if (media !== undefined) {
      const options = optionsOf(media, body);
      return withRefusal(this.media.price(media, options), media, options, body);
    }
    const audio = this.catalog.audio.get(this.catalog.idOf(body.modelId));
    if (audio?.kind === 'speech') return this.audio.speech(audio, body.prompt ?? '');
    if (audio !== undefined) return this.audio.transcription(audio, body.duration ?? 0);
    if (!this.catalog.text.has(this.catalog.idOf(body.modelId))) {
      this.catalog.requireSale(this.catalog.idOf(body.modelId));
      const known = [...this.catalog.media.keys(), ...this.catalog.text.keys(), ...this.catalog.audio.keys()];
      throw new UnknownModel(
        body.modelId,
        known,
        'modelId',
        'not_found',
        this.catalog.insteadOf(body.modelId),
      );
    }
    const messages = body.messages ?? [{ content: body.prompt ?? '' }];
    const chars = pricedCharsOf(messages);
    return this.chat.price(
      this.catalog.textModel(body.modelId),
      chars,
      body.max_tokens,
      tokensMaxOf(messages),
    );
  }
}
