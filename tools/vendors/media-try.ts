import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import { AudioPriceCalculator, speechCost, transcriptionCost } from '#models/catalog/audio-price-calculator';
import type { Catalog } from '#models/catalog/catalog';
import type { AudioModel, MediaModel } from '#models/catalog/catalog-models';
import { tokensPrice } from '#models/catalog/chat-price-calculator';
import { codePoints } from '#models/catalog/token-estimate';
import { type MediaOptions, costOf, mediaPrice } from '#models/catalog/media-price-calculator';
import type { PriceRules } from '#models/catalog/prices.settings';
import { type Micro, micro, usdText } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import type { PartySettings } from '#platform/config/party';
import { sharp } from '#platform/media/image-library';
import type { AudioProvider } from '#models/providers/audio-provider';
import type {
  MediaInput,
  MediaProvider,
  MediaRequest,
  OperationStatus,
} from '#models/providers/media-provider';
import type { TextUsage } from '#models/providers/text-provider';
import type { ProviderRoute } from '#models/providers/routing/route';
import { tone, wavOf } from '#models/providers/sandbox/tone';
import { type Tried, tried, whyFailed, withoutSecrets } from './vendor-try';

const ASK_MS_MAX = 60_000;
/** Films take minutes. */
const DONE_MS_MAX = 600_000;
const PROMPT = 'A blue sky with one white cloud';
const WORDS = 'The sky is blue.';
const SECONDS = 1;

/** A call that can be made at a vendor, with its cost there and its price here. */
interface Call {
  readonly kind: string;
  readonly cost: Micro;
  /** Undefined if the price exceeds the cap. */
  readonly price: Micro | undefined;
  readonly request: object;
  /** Makes the call, and describes the result. */
  readonly make: () => Promise<{ readonly result: string; readonly bill?: Micro | undefined }>;
}

const square = async (): Promise<MediaInput> => {
  const create = { width: 1_024, height: 1_024, channels: 3 as const, background: '#4a90d9' };
  const bytes = await sharp({ create }).png().toBuffer();
  return {
    kind: 'image',
    mime: 'image/png',
    bytes: bytes.length,
    open: () => Promise.resolve(Readable.from([bytes])),
  };
};

const finished = async (
  provider: MediaProvider,
  providerRef: string,
  model: string,
): Promise<OperationStatus> => {
  const until = Date.now() + DONE_MS_MAX;
  for (;;) {
    const status = await provider.status(providerRef, model, AbortSignal.timeout(ASK_MS_MAX));
    if (status.state !== 'running' || Date.now() > until) return status;
    await pause(provider.pollMs);
  }
};

const mediaCall = (
  { mode, costs, markup, durations, resolutions, imageSizes, aspectRatios }: MediaModel,
  route: ProviderRoute,
  provider: MediaProvider,
  rules: PriceRules,
): Call => {
  const [seconds] = durations;
  const [resolution] = resolutions;
  const [imageSize] = imageSizes;
  const billOf = ifPresent(route.prices, (byTokens) => (tokens: TextUsage) => tokensPrice(byTokens, tokens));
  const options = { seconds, resolution, imageSize, audio: false } as MediaOptions;
  const request = {
    model: route.model,
    mode,
    prompt: PROMPT,
    seconds,
    resolution,
    imageSize,
    aspectRatio: aspectRatios[0],
    audio: false,
    ourId: `vendors-try-${process.pid}-${mode}`,
  } as MediaRequest;
  return {
    kind: mode,
    cost: costOf(route.costs ?? costs, options),
    price: mediaPrice(rules, costOf(costs, options), markup),
    request,
    make: async () => {
      const image = mode === 'i2i' || mode === 'i2v' ? await square() : undefined;
      const { providerRef } = await provider.submit(
        { ...request, image, billOf } as MediaRequest,
        AbortSignal.timeout(ASK_MS_MAX),
      );
      const status = await finished(provider, providerRef, route.model);
      if (status.state !== 'done') throw new Error(`its work is ${JSON.stringify(status)}`);
      const { result, cost: bill } = status;
      return { result: 'data' in result ? `${result.data.length} bytes` : result.url, bill };
    },
  };
};

const audioCall = (
  model: AudioModel,
  route: ProviderRoute,
  provider: AudioProvider,
  rules: PriceRules,
): Call => {
  const { kind, unitCost, voices, formats } = model;
  const pricing = new AudioPriceCalculator({ price: rules });
  const usd = route.costs?.get('default') ?? unitCost;
  const ours = { model: route.model, ourId: 'vendors-try' };
  if (kind === 'speech') {
    const request = { ...ours, input: WORDS, voice: voices[0] ?? '', format: formats[0] ?? 'mp3' };
    return {
      kind,
      cost: speechCost(usd, codePoints(WORDS)),
      price: pricing.speech(model, WORDS).list,
      request,
      make: async () => {
        const file = await provider.speak(request, AbortSignal.timeout(ASK_MS_MAX));
        return { result: `${file.length} bytes` };
      },
    };
  }
  const request = { ...ours, seconds: SECONDS, format: 'json' as const };
  return {
    kind,
    cost: transcriptionCost(usd, SECONDS),
    price: pricing.transcription(model, SECONDS).list,
    request,
    make: async () => {
      const recording = new Blob([new Uint8Array(wavOf(tone(SECONDS, 440)))], { type: 'audio/wav' });
      const { text } = await provider.transcribe({ ...request, recording }, AbortSignal.timeout(ASK_MS_MAX));
      return { result: JSON.stringify(text) };
    },
  };
};

/** The modes whose calls need at most one picture. */
const MODES: ReadonlySet<string> = new Set(['t2i', 'i2i', 't2v', 'i2v']);

const callsAt = (
  { name }: PartySettings,
  { all }: Catalog,
  {
    media,
    audio,
  }: { readonly media?: MediaProvider | undefined; readonly audio?: AudioProvider | undefined },
  rules: PriceRules,
): readonly Call[] => {
  const at = <Model extends MediaModel | AudioModel>(models: ReadonlyMap<string, Model>) =>
    [...models.values()].flatMap((model) =>
      model.routes.filter(({ provider }) => provider === name).map((route) => ({ model, route })),
    );
  return [
    ...(media === undefined
      ? []
      : at(all.media)
          .filter(({ model }) => MODES.has(model.mode))
          .map(({ model, route }) => mediaCall(model, route, media, rules))),
    ...(audio === undefined
      ? []
      : at(all.audio).map(({ model, route }) => audioCall(model, route, audio, rules))),
  ];
};

const tryCall = async (own: PartySettings, call: Call, budget: Micro): Promise<Tried> => {
  const { kind, cost, price, request } = call;
  const name = `${own.name} ${kind}`;
  if (cost > budget) return tried([`${name}: costs $${usdText(cost)}, which is above the budget`]);
  try {
    const { result, bill } = await call.make();
    const lines = [
      `${name}: request ${JSON.stringify(request)}`,
      `${name}: answer ${result}`,
      `${name}: bill of the vendor ${bill === undefined ? 'not named in the answer' : `$${usdText(bill)}`}; ` +
        `by the catalog $${usdText(cost)}; here ${price === undefined ? 'not sold' : `$${usdText(price)}`}`,
    ];
    return tried(
      lines.map((line) => withoutSecrets(own, line)),
      bill ?? cost,
    );
  } catch (error) {
    return tried([withoutSecrets(own, `${name}: failed: ${whyFailed(error)}`)], cost, true);
  }
};

/** Makes the cheapest call of each kind of medium and sound at a vendor, as far as the budget goes. */
export const tryMedia = async (
  own: PartySettings,
  catalog: Catalog,
  adapters: { readonly media?: MediaProvider | undefined; readonly audio?: AudioProvider | undefined },
  budget: Micro,
  rules: PriceRules,
): Promise<Tried> => {
  const calls = callsAt(own, catalog, adapters, rules).toSorted((a, b) => Number(a.cost - b.cost));
  const kinds = [...new Set(calls.map(({ kind }) => kind))];
  let all = tried([]);
  for (const kind of kinds) {
    const call = calls.find((each) => each.kind === kind);
    if (call === undefined) continue;
    const result = await tryCall(own, call, micro(budget - all.spent));
    all = tried(
      [...all.lines, ...result.lines],
      micro(all.spent + result.spent),
      all.hasFailed || result.hasFailed,
    );
  }
  return all;
};
