import { type Fields, isFields, jsonIn } from '#kernel/json';
import { isLoopback } from '#kernel/loopback';
import { parseUsd } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import type { SandboxMixVariables } from '#platform/config/sandbox-mix.settings';
import { listOf as list } from '#platform/config/setting';
import {
  Pattern,
  Rotating,
  Choice,
  Secret,
  Text,
  Url,
  Whole,
  readVariables,
} from '#platform/config/variables';
import {
  NAMED_USDC,
  NETWORKS_MAX,
  NOBODYS,
  SANDBOX_PAY_TO,
  TEST_NETWORKS,
  type Finality,
  type X402Network,
} from './networks';
import { type SettingsOf, defineSettings, needs } from '#platform/config/settings';

export class NetworkVariables {
  @Pattern(/^eip155:\d{1,10}$/, 'a network such as eip155:8453')
  readonly X402_NETWORK: string = 'eip155:8453';
  @Secret() @Text(20_000) readonly X402_NETWORKS?: string;
  @Pattern(/^0x[a-fA-F0-9]{40}$/, 'a token address')
  readonly X402_ASSET: string = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  @Pattern(/^0x[a-fA-F0-9]{40}$/, 'a wallet address') readonly X402_PAY_TO?: string;
  @Choice('sandbox', 'local', 'http') readonly X402_FACILITATOR: string = 'sandbox';
  @Url() readonly X402_FACILITATOR_URL?: string;
  @Text(4_000) readonly X402_RPC_URL?: string;
  @Rotating('x402.relayerKey')
  @Pattern(/^0x[a-fA-F0-9]{64}$/, 'a private key of 32 bytes in hex')
  readonly X402_RELAYER_KEY?: string;
  @Whole(60_000, 30_000_000) readonly X402_GAS_MAX: number = 300_000;
  @Pattern(/^(?!0+(\.0+)?$)\d{1,9}(\.\d{1,6})?$/, 'a price in USD such as 3150.25')
  readonly X402_NATIVE_USD?: string;
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
const single = (env: NetworkVariables): X402Network => {
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

const recordsIn = (text: string): readonly Fields[] | undefined => {
  const value = jsonIn(text);
  const isList =
    Array.isArray(value) && value.length > 0 && value.length <= NETWORKS_MAX && value.every(isFields);
  return isList ? value : undefined;
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

const fromListed = (values: Listed, at: number, env: NetworkVariables): X402Network => {
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
export const networksOf = (env: NetworkVariables): readonly X402Network[] => {
  const records = env.X402_NETWORKS === undefined ? undefined : recordsIn(env.X402_NETWORKS);
  return records === undefined
    ? [single(env)]
    : records.map((record, at) => fromListed(readListed(record).values, at, env));
};

/** Whether the money of this network is free, as far as the settings show. */
const isFreeMoney = ({ facilitator, chainId }: X402Network): boolean =>
  facilitator === 'sandbox' || TEST_NETWORKS.has(chainId);

/** Whether a facilitator moves money there. A chain on this machine counts as a test chain. */
const settlesForReal = ({ facilitator, onThisMachine }: X402Network): boolean =>
  facilitator === 'http' || (facilitator === 'local' && !onThisMachine);

/** Whether callers pay real money on this network, as far as the settings show. */
export const takesRealMoney = (network: X402Network): boolean =>
  settlesForReal(network) && !isFreeMoney(network);

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
  const isNobodys = settlesForReal(network) && !isLoopback(facilitatorUrl ?? '') && NOBODYS.includes(payTo);
  return [
    ...(isLocal && rpcUrls.length === 0 ? ['rpcUrl is required with the facilitator local'] : []),
    ...(isLocal && !hasRelayer ? ['the facilitator local needs X402_RELAYER_KEY'] : []),
    ...(areNodes(rpcUrls) ? [] : ['rpcUrl must list http or https addresses']),
    ...(isNobodys ? ['payTo must be a wallet of yours; real money sent to this one is lost'] : []),
  ];
};

/** The problems of `X402_NETWORKS`. No problem repeats a value, because the address of a node may contain a key. */
export const networkProblems = (env: NetworkVariables & SandboxMixVariables): string[] => {
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

/** The rules of the settings that describe one network. */
const singleNetworkProblems = (env: NetworkVariables): string[] => {
  const { X402_FACILITATOR: facilitator, X402_PAY_TO: payTo = '' } = env;
  const isOnThisMachine = list(env.X402_RPC_URL).every(isLoopback);
  const isReal = facilitator === 'http' || (facilitator === 'local' && !isOnThisMachine);
  return [
    ...needs(env, facilitator === 'http', 'with X402_FACILITATOR=http', 'X402_FACILITATOR_URL'),
    ...needs(
      env,
      isReal,
      `with X402_FACILITATOR=${facilitator}: it says whom real money is for`,
      'X402_PAY_TO',
    ),
    ...(isReal && !isLoopback(env.X402_FACILITATOR_URL ?? '') && NOBODYS.includes(payTo.toLowerCase())
      ? ['X402_PAY_TO must be a wallet of yours; real money sent to this one is lost']
      : []),
    ...needs(env, facilitator === 'local', 'with X402_FACILITATOR=local', 'X402_RPC_URL'),
    ...needs(env, facilitator === 'local', 'with X402_FACILITATOR=local', 'X402_RELAYER_KEY'),
    ...(areNodes(list(env.X402_RPC_URL)) ? [] : ['X402_RPC_URL must list http or https addresses']),
  ];
};

type Env = NetworkVariables & SandboxMixVariables;

export const networkSettings = defineSettings({
  variables: NetworkVariables,
  problems: (env: Env) =>
    env.X402_NETWORKS === undefined ? singleNetworkProblems(env) : networkProblems(env),
  freeOfMoney: (env: Env) => {
    const networks = networkProblems(env).length > 0 ? [] : networksOf(env);
    const plays = networks.some(({ facilitator }) => facilitator === 'sandbox');
    const name = env.X402_NETWORKS === undefined ? 'X402_FACILITATOR=sandbox' : 'a sandbox of X402_NETWORKS';
    return plays ? [name] : [];
  },
  read: (env: NetworkVariables) => {
    const networks = networksOf(env);
    return {
      x402: {
        /** The default network. */
        ...networks[0]!,
        /** Every network on which payments arrive, the default first. */
        networks,
        relayerKey: env.X402_RELAYER_KEY as `0x${string}` | undefined,
        gasMax: BigInt(env.X402_GAS_MAX),
      },
    };
  },
});

export type NetworkSettings = SettingsOf<typeof networkSettings>;
