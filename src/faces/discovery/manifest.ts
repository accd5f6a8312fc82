import { accountLinks } from '#people/accounts/account-links';
import { railClasses } from '#money/billing/rails/rail-order';
import { API_VERSION } from './openapi-documents';
import type { Facts } from './facts';
import { GUARANTEES } from './guarantees';
import type { SoldRoute } from './published-documents';

/** Prices, promises and limits in one object, for programs that decide whether to use the service. */
export const manifestOf = (
  facts: Facts,
  hasExtensions: boolean,
  soldByModules: readonly SoldRoute[],
): object => {
  const {
    url,
    prices,
    limits,
    kept,
    x402,
    networks,
    regions,
    models,
    webhooks,
    handingOn,
    organisations,
    transparency,
  } = facts;
  return {
    name: 'Lamppost',
    version: API_VERSION,
    description: 'Image, video, audio and text generation, paid call by call.',
    pricing: {
      currency: 'USD',
      unit: 'micro-USD: a millionth of a US dollar, and one atomic unit of USDC',
      models: `${url}/v1/agent/models`,
      quote: `${url}/v1/agent/quote`,
      rules: {
        chat:
          'ceil(characters / 3.5) input tokens at the input rate plus max_tokens at the output rate, marked up; ' +
          'the charge is for the cap, not for the tokens of the answer',
        media: "the provider's estimate, marked up, per image or per second; a call above the cap is refused",
        studio:
          'POST /v1/chat/completions, /v1/responses, /v1/messages and /v1/models/{call} charge the tokens really used, at the catalog rates',
        speech: 'the share of a million characters, marked up, at least the floor of media',
        transcription: 'the seconds of the recording, marked up, at least the floor of media',
        topUp: 'a dollar costs a dollar',
      },
      ranges: { chat: prices.chat, media: prices.media },
      markup: { chat: ratio(prices.chatMarkup), media: ratio(prices.mediaMarkup) },
      tiers: {
        for: 'wallets, by the USDC that they have paid in on chain; keys pay list price',
        steps: prices.tiers,
      },
      textRates: models.text.map(
        ({ name: _name, reasoning: _, vision: _vision, openWeights: _open, default: _default, ...rates }) =>
          rates,
      ),
      mediaPrices: models.media.map(({ id, mode, pricing }) => ({ id, mode, ...pricing })),
      ...(soldByModules.length === 0 ? {} : { routes: soldByModules }),
      audioPrices: models.audio.map(({ id, kind, pricing }) => ({ id, kind, ...pricing })),
    },
    guarantees: GUARANTEES.map(([promise, endpoint]) => ({ promise, endpoint })),
    limits: {
      ...limits,
      perMinute: facts.perMinute,
      topUpUsd: facts.topUpUsd,
      quoteSeconds: prices.quoteSeconds,
    },
    rails: railClasses().map(({ facts: { name, manifest } }) => ({ name, ...manifest })),
    networks: networks.map((network) => ({ ...network, lateFailureCredit: x402.lateFailureCredit })),
    webhooks: { standard: 'https://www.standardwebhooks.com', ...webhooks },
    transparency: {
      ...transparency,
      standard: 'https://c2sp.org/tlog-tiles',
      statement: `${url}/v1/agent/statement`,
    },
    delegation: { keys: `${url}/v1/agent/keys`, ...handingOn },
    organisations: {
      address: `${url}/v1/account/organisations`,
      actBy: 'X-Organisation, beside a session; the keys of one need nothing more',
      ...organisations,
    },
    retention: {
      mediaDays: kept.mediaDays,
      eventDays: kept.eventDays,
      replaySeconds: { media: kept.mediaReplaySeconds, chat: kept.chatReplaySeconds },
      text: 'not stored, but for replays, encrypted; usage keeps token counts only',
    },
    terms: {
      resale: 'permitted',
      sanctionedRegions: regions.sanctioned,
      regionsAreKnown: regions.known,
    },
    notSold: models.unsold,
    sandbox: facts.sandbox,
    links: {
      guide: `${url}/v1/agent/guide.md`,
      llms: `${url}/llms.txt`,
      openapi: `${url}/v1/agent/openapi.json`,
      ...(hasExtensions ? { extensions: `${url}/v1/extensions/openapi.json` } : {}),
      mcp: `${url}/mcp`,
      mcpForWallets: `${url}/mcp?payment=x402`,
      docs: `${url}/docs`,
      guides: `${url}/guides`,
      x402: `${url}/.well-known/x402`,
      receiptKeys: `${url}/.well-known/jwks.json`,
      ...accountLinks(url),
    },
  };
};

const ratio = ({ times, over }: { readonly times: bigint; readonly over: bigint }): string =>
  `${times}/${over}`;
