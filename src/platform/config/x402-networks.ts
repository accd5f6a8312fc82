import { type Micro, parseUsd } from '../../kernel/money';
import { type WalletAddress, parseWallet } from '../../kernel/wallet-address';
import type { Env } from './env';
import { listOf as list } from './setting';
import { Pattern, Text, Url, readVariables } from './variables';

/** Each offer takes about a kilobyte of the header of a 402, and clients accept 16 KB of headers. */
const NETWORKS_MAX = 6;

/** The recipient of x402 payments while no wallet is configured. Challenges show it, and nobody has its key. */
export const SANDBOX_PAY_TO = '0x000000000000000000000000000000000000dead' as WalletAddress;

/** Wallets without a known private key. */
export const NOBODYS: readonly string[] = [SANDBOX_PAY_TO, `0x${'0'.repeat(40)}`];

/** Networks whose money has no value. Any other network counts as real. */
const TEST_NETWORKS: ReadonlySet<number> = new Set([
  51, 1_328, 4_801, 10_143, 31_611, 43_113, 59_141, 72_344, 80_002, 84_532, 181_228, 421_614, 763_373,
  11_142_220, 11_155_111, 11_155_420, 168_587_773,
]);

/**
 * On these networks the token's name is `USDC`; elsewhere it is `USD Coin`. With a wrong name, every signature is
 * invalid.
 */
const NAMED_USDC: ReadonlySet<number> = new Set([
  50, 51, 143, 10_143, 1_328, 1_329, 42_220, 80_002, 84_532, 11_142_220,
]);

/**
 * The blocks that no reorganisation can change: those that nodes call final, or those at least this far below the
 * newest.
 */
type Finality = 'finalized' | 'safe' | bigint;

/** A network on which payments arrive. */
export interface X402Network {
  readonly network: string;
  readonly chainId: number;
  readonly asset: WalletAddress;
  readonly payTo: WalletAddress;
  readonly facilitator: 'sandbox' | 'local' | 'http';
  readonly facilitatorUrl: string | undefined;
  readonly rpcUrls: readonly string[];
  /** Whether the chain runs on this machine. It counts as a test chain until its node reports another chain. */
  readonly onThisMachine: boolean;
  readonly finality: Finality;
  /** The price of the network's coin. */
  readonly nativeUsd: Micro | undefined;
  /** The EIP-712 domain of the token's signatures. */
  readonly domain: { readonly name: string; readonly version: string };
}

const ADDRESS = /^0x[a-fA-F0-9]{40}$/;
const USD = /^(?!0+(\.0+)?$)\d{1,9}(\.\d{1,6})?$/;

/** One element of `X402_NETWORKS`, before the rules across fields are applied. */
class Listed {
  @Pattern(/^eip155:[1-9]\d{0,9}$/, 'an EVM network such as eip155:8453; no other kind is supported')
  readonly network?: string;
  @Pattern(ADDRESS, 'a token address') readonly asset?: string;
  @Pattern(ADDRESS, 'a wallet address') readonly payTo?: string;
  @Pattern(/^(sandbox|local|https?:\/\/.+)$/, 'sandbox, local, or the address of a facilitator')
  readonly facilitator?: string;
  @Text(4_000) readonly rpcUrl?: string;
  @Pattern(/^(finalized|safe|[1-9]\d{0,4})$/, 'finalized, safe or a number of blocks')
  readonly finality?: string;
  @Pattern(USD, 'a price in USD such as "3150.25"') readonly nativeUsd?: string;
  @Text(100) readonly name?: string;
  @Text(20) readonly version?: string;
}

/** A facilitator may be a word or an address. This class lets the decorator for addresses check only the address. */
class Address {
  @Url() readonly url?: string;
}

const FIELDS = [
  'network',
  'asset',
  'payTo',
  'facilitator',
  'rpcUrl',
  'finality',
  'nativeUsd',
  'name',
  'version',
] as const;
const NEEDED = ['network', 'asset', 'payTo', 'facilitator'] as const;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address is on this machine, like that of the local chain. */
export const isLoopback = (url: string): boolean => URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);

const areNodes = (urls: readonly string[]): boolean =>
  urls.every((url) => /^https?:\/\/./.test(url) && URL.canParse(url));

const finalityOf = (text = 'finalized'): Finality =>
  text === 'finalized' || text === 'safe' ? text : BigInt(text);

const chainIdOf = (network: string): number => Number(network.split(':')[1]);

const domainOf = (chainId: number, name?: string, version = '2'): X402Network['domain'] => ({
  name: name ?? (NAMED_USDC.has(chainId) ? 'USDC' : 'USD Coin'),
  version,
});

/** The one network that the settings without `X402_NETWORKS` describe. */
const single = (env: Env): X402Network => {
  const rpcUrls = list(env.X402_RPC_URL);
  return {
    network: env.X402_NETWORK,
    chainId: chainIdOf(env.X402_NETWORK),
    asset: parseWallet(env.X402_ASSET)!,
    payTo: env.X402_PAY_TO === undefined ? SANDBOX_PAY_TO : parseWallet(env.X402_PAY_TO)!,
    facilitator: env.X402_FACILITATOR as X402Network['facilitator'],
    facilitatorUrl: env.X402_FACILITATOR_URL,
    rpcUrls,
    onThisMachine: rpcUrls.every(isLoopback),
    finality: 'finalized',
    nativeUsd: env.X402_NATIVE_USD === undefined ? undefined : parseUsd(env.X402_NATIVE_USD),
    domain: domainOf(chainIdOf(env.X402_NETWORK)),
  };
};

const recordsIn = (text: string): readonly Readonly<Record<string, unknown>>[] | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= NETWORKS_MAX &&
    value.every((one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one));
  return isList ? (value as Record<string, unknown>[]) : undefined;
};

const readListed = (record: Readonly<Record<string, unknown>>) => {
  const texts = Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === 'number' ? String(value) : (value as string),
    ]),
  );
  const { values, problems } = readVariables(Listed, texts, () => true);
  const unknown = Object.keys(record).filter((name) => !(FIELDS as readonly string[]).includes(name));
  const missing = NEEDED.filter((name) => record[name] === undefined || record[name] === '');
  const url = /^https?:/.test(values.facilitator ?? '') ? values.facilitator : undefined;
  return {
    values,
    problems: [
      ...problems,
      ...unknown.map((name) => `${name} is no field; it has ${FIELDS.join(', ')}`),
      ...missing.map((name) => `${name} is required`),
      ...readVariables(Address, { url }, () => true).problems.map(
        () => 'facilitator must be sandbox, local, or the address of a facilitator',
      ),
    ],
  };
};

const fromListed = (values: Listed, at: number, env: Env): X402Network => {
  const { network = '', asset = '', payTo = '', facilitator = '', rpcUrl, finality, nativeUsd } = values;
  const isUrl = /^https?:/.test(facilitator);
  const rpcUrls = list(rpcUrl);
  // Networks have different coins with different prices, so the general setting applies only to the first network.
  const usd = nativeUsd ?? (at === 0 ? env.X402_NATIVE_USD : undefined);
  return {
    network,
    chainId: chainIdOf(network),
    asset: parseWallet(asset)!,
    payTo: parseWallet(payTo)!,
    facilitator: isUrl ? 'http' : (facilitator as 'sandbox' | 'local'),
    facilitatorUrl: isUrl ? facilitator : undefined,
    rpcUrls,
    onThisMachine: rpcUrls.every(isLoopback),
    finality: finalityOf(finality),
    nativeUsd: usd === undefined ? undefined : parseUsd(usd),
    domain: domainOf(chainIdOf(network), values.name, values.version),
  };
};

/** All networks, the default one first. The caller must have validated the settings before. */
export const networksOf = (env: Env): readonly X402Network[] => {
  const records = env.X402_NETWORKS === undefined ? undefined : recordsIn(env.X402_NETWORKS);
  return records === undefined
    ? [single(env)]
    : records.map((record, at) => fromListed(readListed(record).values, at, env));
};

/** Whether the money of this network is free, as far as the settings show. */
const isFreeMoney = ({ facilitator, chainId }: X402Network): boolean =>
  facilitator === 'sandbox' || TEST_NETWORKS.has(chainId);

type Headers = Readonly<Record<string, string>>;

const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;

/** The origins of all facilitators that have an address. */
export const originsOf = (networks: readonly X402Network[]): readonly string[] =>
  networks.flatMap(({ facilitatorUrl }) => originOf(facilitatorUrl) ?? []);

/**
 * The settings for one network. Values that may change while the service runs are read again at each use. The headers
 * of a facilitator contain its secret. Headers without an origin go only to the facilitator of the first network that
 * has one.
 */
export const onNetwork = <
  T extends {
    readonly networks: readonly X402Network[];
    readonly facilitatorHeaders: Headers;
    readonly facilitatorHeadersByOrigin: Readonly<Record<string, Headers>>;
  },
>(
  x402: T,
  network: X402Network,
): T => {
  const origin = originOf(network.facilitatorUrl);
  const isFirst = origin === originsOf(x402.networks)[0];
  const own = {
    ...network,
    get facilitatorHeaders(): Headers {
      const named = origin === undefined ? undefined : x402.facilitatorHeadersByOrigin[origin];
      return named ?? (isFirst ? x402.facilitatorHeaders : {});
    },
  };
  return Object.freeze(Object.create(x402, Object.getOwnPropertyDescriptors(own))) as T;
};

/** The configured network of this name; undefined if the service does not take payments there. */
export const networkIn = (
  { networks }: { readonly networks: readonly X402Network[] },
  name: string,
): X402Network | undefined => networks.find(({ network }) => network === name);

const REPLACED = [
  ['X402_NETWORK', 'eip155:8453'],
  ['X402_ASSET', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  ['X402_PAY_TO', undefined],
  ['X402_FACILITATOR', 'sandbox'],
  ['X402_FACILITATOR_URL', undefined],
  ['X402_RPC_URL', undefined],
] as const;

const problemsOfOne = (network: X402Network, hasRelayer: boolean): string[] => {
  const { facilitator, payTo, rpcUrls, facilitatorUrl } = network;
  const isLocal = facilitator === 'local';
  const isReal = facilitator === 'http' || (isLocal && !network.onThisMachine);
  const isNobodys = isReal && !isLoopback(facilitatorUrl ?? '') && NOBODYS.includes(payTo);
  return [
    ...(isLocal && rpcUrls.length === 0 ? ['rpcUrl is required with the facilitator local'] : []),
    ...(isLocal && !hasRelayer ? ['the facilitator local needs X402_RELAYER_KEY'] : []),
    ...(areNodes(rpcUrls) ? [] : ['rpcUrl must list http or https addresses']),
    ...(isNobodys ? ['payTo must be a wallet of yours; real money sent to this one is lost'] : []),
  ];
};

/** The problems of `X402_NETWORKS`. No problem repeats a value, because the address of a node may contain a key. */
export const networkProblems = (env: Env): string[] => {
  if (env.X402_NETWORKS === undefined) return [];
  const records = recordsIn(env.X402_NETWORKS);
  if (records === undefined)
    return [
      `X402_NETWORKS must be a JSON list of 1 to ${NETWORKS_MAX} networks such as ` +
        '[{"network":"eip155:8453","asset":"0x…","payTo":"0x…","facilitator":"https://…"}]',
    ];
  const replaced = REPLACED.filter(([name, standard]) => env[name] !== standard).map(
    ([name]) => `${name} has no effect beside X402_NETWORKS; unset it`,
  );
  const ofItems = records.flatMap((record, at) => {
    const { values, problems } = readListed(record);
    const all =
      problems.length > 0
        ? problems
        : problemsOfOne(fromListed(values, at, env), env.X402_RELAYER_KEY !== undefined);
    return all.map((problem) => `X402_NETWORKS, network ${at + 1}: ${problem}`);
  });
  if (ofItems.length > 0) return [...replaced, ...ofItems];
  const networks = networksOf(env);
  const names = networks.map(({ network }) => network);
  const twice = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
  const real = networks.filter((network) => !isFreeMoney(network));
  const free = networks.filter(isFreeMoney);
  const mixed = real.length > 0 && free.length > 0 && !env.ALLOW_SANDBOX_MIX;
  return [
    ...replaced,
    ...twice.map((name) => `X402_NETWORKS has ${name} twice`),
    ...(mixed
      ? [
          `X402_NETWORKS offers the free money of ${free.map(({ network }) => network).join(', ')} at the prices of ` +
            `${real.map(({ network }) => network).join(', ')}; remove it, or set ALLOW_SANDBOX_MIX=true if you mean it`,
        ]
      : []),
  ];
};
