import { ROLES } from '#people/accounts/roles';
import { TAG_CHARS_MAX } from '#money/billing/calls/paid-body';
import { originOf } from '#money/billing/transparency/log-origin';
import { QUOTE_SECONDS } from '#money/billing/prices/quote-lock';
import type { Catalog } from '#models/catalog/catalog';
import { publicAudio, publicMedia, publicText } from '#models/catalog/public-models';
import { CHAT_CHARS_MAX, CHAT_TOKENS_DEFAULT, CHAT_TOKENS_MAX } from '#models/catalog/chat-limits';
import { priceRanges } from '#models/catalog/price-ranges';
import { TIERS } from '#models/catalog/volume-discount';
import { ChatBody } from '#work/chat/chat.dto';
import { MEDIA_REPLAY_SECONDS, TEXT_REPLAY_SECONDS } from '#money/billing/calls/replay-limits';
import { DelegatedKeyBody } from '#people/delegation/delegated-keys.dto';
import { DEPTH_MAX } from '#people/delegation/delegation-limits';
import { EVENT_TYPES } from '#notices/outbox/event-types';
import { EVENT_DAYS } from '#notices/outbox/event-retention';
import { STREAMS } from '#notices/events/stream-limits';
import { GenerateBody } from '#work/generation/generate.dto';
import { MEDIA_BYTES_MAX } from '#platform/media/media-kind';
import { IMAGE_SIZES, VIDEO_SIZES } from '#work/generation/sizes';
import { SIGN_IN_MS_MAX } from '#people/identity/sign-in-age';
import { KEYS_MAX, KEY_DAYS } from '#people/keys/key-limits';
import { ROUTE_SCOPES } from '#people/keys/key-scopes';
import { usdText } from '#kernel/money';
import { checksummed } from '#kernel/wallet-address';
import { INVITE_DAYS } from '#people/organisations/organisation-limits';
import type { PublishedKey } from '#platform/config/published-keys';
import { type Schema, schemaOf } from '#platform/http/routes/schema-of';
import { verifierKey } from '#platform/signatures/signed-note';
import { MEDIA_MODES } from '#models/providers/media-mode';
import { LIBRARY_MAX } from '#work/references/reference-limits';
import { NewReferenceBody } from '#work/references/references.dto';
import { TOP_UP_AMOUNTS } from '#money/wallet/top-up-amounts';
import { ENDPOINTS_MAX } from '#notices/webhooks/webhook-limits';
import { publicKeyText } from '#notices/webhooks/webhook-signature';
import { type SandboxSettings, sandboxParts } from './sandbox-parts';
import type { HttpSettings } from '#platform/http/http.settings';
import type { RateLimitSettings } from '#platform/http/limits/rate-limits.settings';
import type { JobSettings } from '#work/jobs/jobs.settings';
import type { SanctionsSettings } from '#people/identity/sanctions.settings';
import type { PriceSettings } from '#models/catalog/prices.settings';
import type { X402Settings } from '#money/billing/rails/x402/x402.settings';

const MEGABYTE = 1024 * 1024;

/** One rule of one field, from the schema that the validator compiles. */
const ruleOf = (body: new () => object, field: string, keyword: string): number => {
  const fields = schemaOf(body)['properties'] as Readonly<Record<string, Schema>>;
  const rule = fields[field]?.[keyword];
  if (typeof rule !== 'number') throw new Error(`${body.name} has no ${keyword} for ${field}.`);
  return rule;
};

const cheapFirst = (a: { readonly from: bigint }, b: { readonly from: bigint }): number =>
  a.from < b.from ? -1 : 1;

export type FactSettings = SandboxSettings &
  HttpSettings &
  RateLimitSettings &
  JobSettings &
  SanctionsSettings &
  PriceSettings &
  X402Settings;

/** Every number and name in the documents, read from the code and the settings that enforce them. */
export const factsOf = (
  settings: FactSettings,
  catalog: Catalog,
  knowsRegions: boolean,
  webhookKey: PublishedKey,
  logKeys: readonly PublishedKey[],
) => {
  const { publicUrl } = settings.http;
  const { price, x402 } = settings;
  const media = catalog.shownMedia;
  const { defaultText } = catalog;
  return {
    url: publicUrl,
    transparency: {
      logs: `${publicUrl}/transparency/logs`,
      origin: originOf(new URL(publicUrl).host, 1),
      verifierKeys: logKeys.map((key) => verifierKey(originOf(new URL(publicUrl).host, 1), key.publicBytes)),
    },
    serviceDomain: settings.serviceDomain,
    sandbox: sandboxParts(settings),
    takesCards: settings.billing.processor !== 'none',
    models: {
      media: media.map((model) => publicMedia(model, price)),
      text: [...catalog.text.values()].map((model) => publicText(model, price)),
      audio: catalog.shownAudio.map((model) => publicAudio(model, price)),
      // A disabled model remains the default, but the documents must not offer it.
      defaultText: defaultText !== undefined && catalog.text.has(defaultText.id) ? defaultText.id : '',
      unsold: catalog.unsold,
      defaultMedia: Object.fromEntries(
        MEDIA_MODES.flatMap((mode) => {
          const model = catalog.defaultMedia(mode);
          return model === undefined || !catalog.media.has(model.id) ? [] : [[mode, model.id]];
        }),
      ),
    },
    prices: {
      ...priceRanges(price, [...catalog.text.values()], media),
      chatMarkup: price.chatMarkup,
      mediaMarkup: price.mediaMarkup,
      tiers: [...TIERS]
        .sort(cheapFirst)
        .map(({ from, percent }) => ({ fromUsd: Number(usdText(from)), percent })),
      quoteSeconds: QUOTE_SECONDS,
    },
    topUpUsd: {
      min: Number(usdText(TOP_UP_AMOUNTS.min)),
      max: Number(usdText(TOP_UP_AMOUNTS.max)),
      default: Number(usdText(TOP_UP_AMOUNTS.default)),
    },
    perMinute: settings.limits,
    sizes: { images: Object.keys(IMAGE_SIZES), videos: Object.keys(VIDEO_SIZES) },
    limits: {
      tagChars: TAG_CHARS_MAX,
      promptChars: ruleOf(GenerateBody, 'prompt', 'maxLength'),
      chatMessages: ruleOf(ChatBody, 'messages', 'maxItems'),
      chatChars: CHAT_CHARS_MAX,
      maxTokens: CHAT_TOKENS_MAX,
      maxTokensDefault: CHAT_TOKENS_DEFAULT,
      temperature: ruleOf(ChatBody, 'temperature', 'maximum'),
      imageMegabytes: MEDIA_BYTES_MAX.image / MEGABYTE,
      videoMegabytes: MEDIA_BYTES_MAX.video / MEGABYTE,
      referenceIds: ruleOf(GenerateBody, 'referenceIds', 'maxItems'),
      references: LIBRARY_MAX,
      referenceLabelChars: ruleOf(NewReferenceBody, 'label', 'maxLength'),
      syncSeconds: settings.http.syncSeconds,
      jobDeadlineSeconds: settings.media.jobDeadlineSeconds,
      signInSeconds: SIGN_IN_MS_MAX / 1_000,
      keyDays: KEY_DAYS,
      streamsPerOwner: STREAMS.perOwner,
      streamsPerAddress: STREAMS.perAddress,
    },
    handingOn: {
      by: ['key', 'session', 'wallet sign-in'],
      scopes: ROUTE_SCOPES,
      depthMax: DEPTH_MAX,
      keysMax: KEYS_MAX,
      secondsMin: ruleOf(DelegatedKeyBody, 'expiresInSeconds', 'minimum'),
      secondsMax: ruleOf(DelegatedKeyBody, 'expiresInSeconds', 'maximum'),
    },
    organisations: { roles: ROLES, inviteDays: INVITE_DAYS },
    kept: {
      mediaDays: settings.media.retentionDays,
      eventDays: EVENT_DAYS,
      mediaReplaySeconds: MEDIA_REPLAY_SECONDS,
      chatReplaySeconds: TEXT_REPLAY_SECONDS,
    },
    x402: {
      network: x402.network,
      asset: checksummed(x402.asset),
      payTo: checksummed(x402.payTo),
      facilitator: x402.facilitator,
      lateFailureCredit: x402.lateFailureCredit,
    },
    networks: x402.networks.map(({ network, asset, payTo, facilitator }) => ({
      network,
      asset: checksummed(asset),
      payTo: checksummed(payTo),
      facilitator,
    })),
    webhooks: {
      types: EVENT_TYPES,
      perOwner: ENDPOINTS_MAX,
      publicKey: publicKeyText(webhookKey),
      kid: webhookKey.kid,
    },
    regions: { sanctioned: settings.regions.sanctioned, known: knowsRegions },
  } as const;
};

export type Facts = ReturnType<typeof factsOf>;
