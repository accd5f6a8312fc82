import { formatEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

import { sellerOf } from '#models/catalog/book/seller';
import { Catalog } from '#models/catalog/catalog';
import { isAutomatic } from '#models/catalog/catalog.settings';
import { summaryOf } from '#models/catalog/listed/listed-models';
import { namesIn } from '#models/catalog/listed/listed-names';
import { bookSummaries, makersModelsOf, withMedia } from '#models/catalog/listed/makers-media';
import { offeredModels, withAgreements } from '#models/catalog/listed/list-comparison';
import { listProblem } from '#models/catalog/listed/vendor-lists';
import type { VendorList } from '#models/catalog/listed/vendor-list.entity';
import type { PartySettings } from '#platform/config/party';
import { Mailer } from '#platform/mail/mailer';
import { listedModels } from '#models/providers/models/model-list';
import { Chain } from '#money/billing/rails/x402/facilitators/chain';
import { MISFITS } from '#money/billing/rails/x402/facilitators/facilitator';
import type { Settings } from '../../settings';
import { isSandboxOn, providersOn, vendorOf } from '#models/providers/vendors';
import { hostOf, inWords } from './reasons';
import { isTestKey } from './sold-sandbox';
import { type Checks, type Verdict, bad, ok, skipped, warning } from './findings';
import { onNetwork } from '#money/billing/rails/x402/facilitators/on-network';

const TIMEOUT_MS = 10_000;
const LIST_MS_MAX = 30_000;
const BLOCK_SECONDS = 120;
/** This is more gas than any settlement needs. */
const GAS = 100_000n;
const SETTLEMENTS = { bad: 10n, warning: 200n };
const STRIPE = 'https://api.stripe.com';

const ask = (url: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });

/** The answer, or why there is none. The text has no address, because the message of `fetch` may show a password. */
const answerOf = (url: string, headers: Readonly<Record<string, string>>): Promise<Response | string> =>
  ask(url, headers).catch((error: unknown) => `${hostOf(url)} does not answer${inWords(error)}`);

const networkOf = (x402: Settings['x402']) => x402.networks.find(({ network }) => network === x402.network)!;

const ORDER = ['bad', 'look', 'ok', 'skipped'] as const;

/** Runs a check for each network. The result is the worst verdict, with the texts of all networks. */
const onEach =
  (check: (settings: Settings) => Verdict | Promise<Verdict>) =>
  async (settings: Settings): Promise<Verdict> => {
    const { x402 } = settings;
    const verdicts = await Promise.all(
      x402.networks.map(async (network) => check({ ...settings, x402: onNetwork(x402, network) })),
    );
    const worst = ORDER.flatMap(
      (outcome) => verdicts.find((verdict) => verdict.outcome === outcome) ?? [],
    )[0]!;
    return verdicts.length === 1
      ? worst
      : {
          ...worst,
          text: verdicts.map(({ text }, at) => `${x402.networks[at]!.network}: ${text}`).join('; '),
        };
  };

const nodeProblem = async (x402: Settings['x402'], url: string): Promise<string | undefined> => {
  try {
    const chain = new Chain(onNetwork(x402, { ...networkOf(x402), rpcUrls: [url] }));
    const chainId = await chain.client.getChainId();
    if (chainId !== x402.chainId) return `${hostOf(url)} is a node of chain ${chainId}, not ${x402.chainId}`;
    const misfit = await chain.misfit();
    if (misfit !== undefined) return `at ${hostOf(url)} ${MISFITS[misfit]}`;
    const { timestamp } = await chain.client.getBlock();
    const age = Math.round(Date.now() / 1_000 - Number(timestamp));
    return age > BLOCK_SECONDS && chain.isTestChain !== true
      ? `${hostOf(url)} is ${age} seconds behind`
      : undefined;
  } catch (error) {
    return `${hostOf(url)} does not answer${inWords(error)}`;
  }
};

const nodeProblems = async (x402: Settings['x402']): Promise<readonly string[]> =>
  (await Promise.all(x402.rpcUrls.map((url) => nodeProblem(x402, url)))).flatMap((one) => one ?? []);

/** The models of a provider that are for sale, and why the others are not. */
const modelsOf = async (
  settings: Settings,
  own: PartySettings,
  catalog: Catalog,
): Promise<{ readonly text: string; readonly list?: Pick<VendorList, 'vendor' | 'models'> }> => {
  try {
    const listed = await listedModels(vendorOf(own).models!(own), AbortSignal.timeout(LIST_MS_MAX));
    const now = new Date();
    const offered = offeredModels(sellerOf(own), withMedia(own.name, listed), [], now);
    // The check of the model prices names those that wait. It knows the agreements of operators.
    const held = offered.flatMap(({ id, held: rates }) =>
      rates === undefined ? [] : [[id, { rates, at: now }] as const],
    );
    const models = withAgreements(offered, { prices: new Map(held) });
    const choice = { only: settings.catalogOnly, without: settings.catalogWithout };
    return {
      text: summaryOf(own.name, models, choice, (name) => catalog.isOwn(name)),
      list: { vendor: own.name, models },
    };
  } catch (error) {
    return {
      text: `${own.name} does not list its models: ${listProblem(error) ?? (error as Error).message}`,
    };
  }
};

const providerProblem = async (settings: Settings, name: string): Promise<string | undefined> => {
  const own = settings.providers.find((one) => one.name === name)!;
  const probe = vendorOf(own).probe?.(own);
  if (probe === undefined) return undefined;
  try {
    const { status } = await ask(probe.url, probe.headers);
    if (status === 401 || status === 403) return `${name} refuses its key (${status})`;
    return status >= 500 ? `${name} answers ${status}` : undefined;
  } catch (error) {
    return `${name} does not answer at ${hostOf(probe.url)}${inWords(error)}`;
  }
};

/** The balance of a wallet, and the price of gas. Undefined if the check of the chain reports the reason. */
const fundsOf = async (
  x402: Settings['x402'],
  address: `0x${string}`,
): Promise<readonly (bigint | undefined)[]> => {
  const chain = new Chain(x402);
  try {
    return await chain.request(() =>
      Promise.all([chain.client.getBalance({ address }), chain.client.getGasPrice()]),
    );
  } catch (error) {
    if ((await nodeProblems(x402)).length === 0) throw error;
    return [];
  }
};

/** Checks the outside parties: providers, payments and the mail server. It spends nothing. */
export const OUTSIDE_CHECKS: Checks = {
  chain: onEach(async ({ x402 }) => {
    if (x402.rpcUrls.length === 0)
      return x402.facilitator === 'http'
        ? warning('no node of your own checks the facilitator', 'Set X402_RPC_URL.')
        : skipped('payments are in the sandbox');
    const problems = await nodeProblems(x402);
    return problems.length > 0
      ? bad(problems.join('; '), 'Correct X402_RPC_URL, X402_NETWORK or X402_ASSET.')
      : ok(`${x402.network}: ${x402.rpcUrls.map(hostOf).join(', ')}`);
  }),

  facilitator: onEach(async ({ x402 }) => {
    if (x402.facilitator !== 'http')
      return skipped(`the ${x402.facilitator} facilitator is part of this service`);
    const url = `${x402.facilitatorUrl!.replace(/\/+$/, '')}/supported`;
    const answer = await answerOf(url, { accept: 'application/json', ...x402.facilitatorHeaders });
    if (typeof answer === 'string') return bad(answer, 'Correct X402_FACILITATOR_URL, or try again later.');
    if (answer.status === 401 || answer.status === 403)
      return bad(
        `${hostOf(url)} refuses our credentials (${answer.status})`,
        'Correct X402_FACILITATOR_HEADERS.',
      );
    const { kinds = [] } = (await answer.json()) as {
      kinds?: readonly { scheme?: string; network?: string; extra?: { receiverAuthorizer?: string } }[];
    };
    const runs = (wanted: string) =>
      kinds.find(({ scheme, network }) => scheme === wanted && network === x402.network);
    const settles = `${hostOf(url)} settles on ${x402.network}`;
    if (runs('exact') === undefined)
      return bad(
        `${hostOf(url)} does not settle on ${x402.network}`,
        'Choose another facilitator, or another X402_NETWORK.',
      );
    if (!x402.channels.offered) return ok(`${settles}; X402_CHANNELS is off`);
    const channels = runs('batch-settlement');
    if (channels === undefined) return ok(`${settles}, without payment channels`);
    return channels.extra?.receiverAuthorizer === undefined && x402.channels.key === undefined
      ? warning(
          `${settles}, but it signs no claims of payment channels`,
          'Set X402_CHANNEL_KEY to offer them.',
        )
      : ok(`${settles}, with payment channels`);
  }),

  relayer: onEach(async ({ x402 }) => {
    if (x402.relayerKey === undefined) return skipped('X402_RELAYER_KEY is not set');
    if (x402.networks.length > 1 && x402.facilitator !== 'local')
      return skipped('the facilitator of this network needs no relayer');
    const { address } = privateKeyToAccount(x402.relayerKey);
    const [balance, price] = await fundsOf(x402, address);
    if (balance === undefined || price === undefined) return skipped('not examined: the chain has a problem');
    const times = price === 0n ? SETTLEMENTS.warning : balance / (price * GAS);
    const text = `${address} has ${formatEther(balance)} of the network's coin, enough for about ${times} settlements`;
    if (times < SETTLEMENTS.bad) return bad(text, 'Send coins to this wallet.');
    return times < SETTLEMENTS.warning ? warning(text, 'Send more coins to this wallet.') : ok(text);
  }),

  models: async (settings) => {
    if (!isAutomatic(settings)) return skipped('the catalog does not use the lists of vendors');
    const listers = settings.providers.filter((own) => own.isOn && vendorOf(own).models !== undefined);
    const catalog = new Catalog(settings);
    const found = await Promise.all(listers.map((own) => modelsOf(settings, own, catalog)));
    catalog.offer({ names: namesIn(found.flatMap(({ list }) => list ?? [])) });
    const gone = catalog.gone.length === 0 ? [] : [`no vendor has ${catalog.gone.join('; ')}`];
    const choice = { only: settings.catalogOnly, without: settings.catalogWithout };
    const names = new Set(listers.map(({ name }) => name));
    const book = bookSummaries(makersModelsOf(settings), names, choice);
    const text = [...found.map((each) => each.text), ...book, ...gone].join('; ');
    if (text === '') return skipped('no provider has a model for the catalog');
    return found.every(({ list }) => list !== undefined)
      ? ok(text)
      : warning(text, 'Check the key and the address of the provider. The service keeps its last list.');
  },

  providers: async (settings) => {
    const names = [...providersOn(settings)];
    const problems = (await Promise.all(names.map((name) => providerProblem(settings, name)))).flatMap(
      (one) => one ?? [],
    );
    return problems.length > 0
      ? bad(
          problems.join('; '),
          'Correct the key or the address of the provider. Until then its models are not served.',
        )
      : ok(isSandboxOn(settings) ? 'only the sandbox: no key of a vendor is set' : names.join(', '));
  },

  cards: async ({ billing: { processor, stripe } }) => {
    if (processor === 'none') return skipped('cards are not taken');
    if (processor === 'sandbox') return skipped('card payments are in the sandbox');
    const answer = await answerOf(`${stripe.apiUrl ?? STRIPE}/v1/balance`, {
      authorization: `Bearer ${stripe.secretKey}`,
    });
    if (typeof answer === 'string')
      return bad(answer, 'Check that this machine reaches Stripe, or try again later.');
    const { status } = answer;
    if (status !== 200) return bad(`Stripe refuses the key (${status})`, 'Correct STRIPE_SECRET_KEY.');
    return isTestKey(stripe.secretKey)
      ? warning('Stripe accepts the key, which is a test key', 'Set a live key before you sell.')
      : ok('Stripe accepts the key');
  },

  mail: async (settings) => {
    if (settings.mail === undefined) return skipped('alerts are not sent by e-mail');
    const { host, port } = settings.mail.server;
    const why = await new Mailer(settings).problem();
    return why === undefined
      ? ok(`${host} accepts the sign-in`)
      : bad(`SMTP ${host}:${port} ${why}`, 'Correct SMTP_URL, or start the server.');
  },
};
