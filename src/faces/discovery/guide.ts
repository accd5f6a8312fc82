import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { accountLinks } from '#people/accounts/account-links';
import type { Facts } from './facts';
import type { SoldRoute } from './published-documents';

const listed = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

/** A limit as a number of calls, or in words if it is disabled. */
const calls = (perMinute: number): string => (perMinute === 0 ? 'any number of' : String(perMinute));

/** Other texts of the page: lists, and sentences that depend on the settings. */
const wordsOf = (facts: Facts) => {
  const { models, prices, kept, limits, perMinute, sandbox, sizes, x402, networks, url, webhooks } = facts;
  const { takesCards } = facts;
  const links = accountLinks(url);
  const isCardSandbox = sandbox.some((part) => part.startsWith('card payments'));
  const someImage: string | undefined = models.defaultMedia['t2i'] ?? models.media[0]?.id;
  const someText = models.defaultText || (models.text[0]?.id ?? '');
  return {
    ...facts,
    links,
    chainId: x402.network.split(':')[1],
    networksNote:
      networks.length === 1
        ? ''
        : ` It also takes ${networks
            .slice(1)
            .map(({ network }) => `\`${network}\``)
            .join(', ')}: register the networks that your wallet ` +
          'has USDC on. The balance of a wallet is the same on all.',
    sandboxNote:
      sandbox.length === 0
        ? ''
        : `**This service is a sandbox** (${sandbox.map((part) => part.replace(/ \(.*/, '')).join(', ')}): ` +
          (networks.every(({ facilitator }) => facilitator === 'sandbox')
            ? 'pay with test wallets only, no real money is taken.'
            : 'payments in USDC are settled on their chain all the same.'),
    unsoldNote: models.unsold
      .map((line) => `**No ${line} is sold here**: its routes answer 503 \`NOT_OFFERED\`.\n\n`)
      .join(''),
    defaults: (models.defaultText === '' ? [] : [`chat \`${models.defaultText}\``])
      .concat(Object.entries(models.defaultMedia).map(([mode, id]) => `${mode} \`${id}\``))
      .join(', '),
    // These values appear in examples.
    someImage: someImage ?? '',
    quoteBody: JSON.stringify(
      someImage === undefined
        ? { modelId: someText, prompt: 'Hello', max_tokens: 64 }
        : { modelId: someImage },
    ),
    someVoice: models.audio.find(({ kind }) => kind === 'speech')?.id ?? '',
    someScribe: models.audio.find(({ kind }) => kind === 'transcription')?.id ?? '',
    someText,
    quoteMinutes: prices.quoteSeconds / 60,
    signInMinutes: limits.signInSeconds / 60,
    tiers: prices.tiers.map(({ fromUsd, percent }) => `${percent} % from $${fromUsd}`).join(', '),
    eventTypes: listed(webhooks.types),
    imageSizes: listed(sizes.images),
    videoSizes: listed(sizes.videos),
    creditsNote: takesCards
      ? `Accounts add credits by card at ${links.topUp}.`
      : 'This service takes no cards. Its operator can add credits to an account.',
    checkoutNote: isCardSandbox
      ? '; in the sandbox paying is one POST'
      : takesCards
        ? '; a person pays at the address that is printed'
        : '. This service takes no cards, so its operator adds the credits, and the top-up is refused',
    checkoutCommand: isCardSandbox ? 'curl -s -o /dev/null -X POST "$CHECKOUT/pay"' : 'echo "$CHECKOUT"',
    lateFailureNote: x402.lateFailureCredit
      ? ' (on x402 as a prepaid balance of the paying wallet)'
      : ', except on x402, where a settled payment stays',
    mediaReplayHours: kept.mediaReplaySeconds / 3_600,
    chatReplayMinutes: kept.chatReplaySeconds / 60,
    perMinuteAddress: calls(perMinute.address),
    perMinuteMedia: calls(perMinute.media),
    perMinuteChat: calls(perMinute.chat),
    perMinuteChallenge: calls(perMinute.challenge),
    perMinuteFree: calls(perMinute.free),
  };
};

const valueAt = (words: object, path: string): string => {
  const value = path
    .split('.')
    .reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>> | undefined)?.[name], words);
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`A guide speaks of ${path}, which is no fact.`);
  return String(value);
};

/** A page with this service's own numbers and addresses in place of `{{name}}`. */
export const fill = (template: string, facts: Facts): string => {
  const words = wordsOf(facts);
  return template.replaceAll(/\{\{([\w.]+)\}\}/g, (_, path: string) => valueAt(words, path));
};

const template = readFileSync(join(__dirname, 'guide.md'), 'utf8');

/** The whole API in one page, for language models. */
/** The section about the paid routes of other modules. */
const alsoSold = (routes: readonly SoldRoute[]): string =>
  routes.length === 0
    ? ''
    : `\n## Also sold here\n\n${routes.map(({ path, summary, price }) => `- \`POST ${path}\`: ${summary} $${price.min} to $${price.max}.`).join('\n')}\n`;

export const guideOf = (facts: Facts, soldByModules: readonly SoldRoute[] = []): string =>
  fill(template, facts) + alsoSold(soldByModules);
