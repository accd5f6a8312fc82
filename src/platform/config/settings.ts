import { senderOf } from './mail-sender';
import { isIP } from 'node:net';

import { type Micro, micro } from '../../kernel/money';
import { ADMIN_SCOPES, ADMIN_TOKENS_RULE, type Admin, parseAdmins } from './admins';
import { SigningCertificate } from '../credentials/signing-certificate';
import { Env } from './env';
import type { DatabaseSettings, DatabaseVariables } from '../database/database.settings';
import {
  FACILITATOR_HEADERS_RULE,
  type FacilitatorHeaders,
  parseFacilitatorHeaders,
  secretsInHeaders,
} from './facilitator-headers';
import { COSIGNATURE, parseVerifierKey } from '../signatures/signed-note';
import {
  type CommonSettings,
  type Outside,
  type SettingsOf,
  defineSettings,
  needs,
} from './feature-settings';
import { categoriesOf, limitProblems, thresholdsOf } from './policy-limits';
import { listOf as list } from './setting';
import { SMTP_URL_RULE, type SmtpServer, parseSmtpUrl } from './smtp-server';
import { NOBODYS, isLoopback, networkProblems, networksOf, originsOf } from './x402-networks';

export { SANDBOX_PAY_TO } from './x402-networks';

/** A ratio of whole numbers, because no float touches money. */
export interface Ratio {
  readonly times: bigint;
  readonly over: bigint;
}

export interface PriceRules {
  readonly chatFloor: Micro;
  readonly chatCap: Micro;
  readonly chatMarkup: Ratio;
  readonly mediaFloor: Micro;
  readonly mediaCap: Micro;
  readonly mediaMarkup: Ratio;
}

/** Calls per minute; 0 switches a limit off. */
interface RateLimits {
  /** All calls of an address. */
  readonly address: number;
  readonly media: number;
  readonly chat: number;
  readonly text: number;
  readonly challenge: number;
  readonly free: number;
  readonly references: number;
  readonly topUp: number;
  readonly signIn: number;
  /** Messages that an owner sends by hand: tests and replays. */
  readonly webhookTests: number;
}

export type LimitName = keyof RateLimits;

/** Before Node 24, AsyncLocalStorage costs a paid call a sixth more processor time (docs/adr/0041). */
const CONTEXT_IS_CHEAP = Number.parseInt(process.versions.node, 10) >= 24;

/** The limit of all calls of an address. It must not be below any other limit of calls by address. */
const addressLimit = (env: Env): number =>
  Math.max(
    6_000,
    env.RATE_LIMIT_MEDIA,
    env.RATE_LIMIT_CHAT,
    env.RATE_LIMIT_TEXT,
    env.RATE_LIMIT_CHALLENGE,
    env.RATE_LIMIT_FREE,
    env.RATE_LIMIT_REFERENCES,
  );

/**
 * Decodes a value of OpenTelemetry's variables. There, a comma or a space would separate values, so they are escaped.
 */
const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const ratio = (text: string): Ratio => {
  const [times = '1', over = '1'] = text.split('/');
  return { times: BigInt(times), over: BigInt(over) };
};

/** The operators: the holder of the single token, and those with names. Undefined if an entry is malformed. */
const adminsOf = ({ ADMIN_TOKEN: token, ADMIN_TOKENS: tokens }: Env): readonly Admin[] | undefined => {
  const named = parseAdmins(list(tokens));
  return token === undefined ? named : named && [{ name: 'admin', scopes: ADMIN_SCOPES, token }, ...named];
};

/** A witness is written as its address, a space and its verifier key. */
const witnessesOf = (text: string | undefined) =>
  list(text).map((pair) => {
    const [url = '', key = ''] = pair.split(/ +/);
    return { url, key };
  });

/** The password of the mail server, in each form in which a log line could contain it. */
const passwordsOf = ({ user, password }: Partial<SmtpServer>): readonly string[] =>
  user === undefined || password === undefined
    ? []
    : [
        password,
        encodeURIComponent(password),
        Buffer.from(password).toString('base64'),
        Buffer.from(`\0${user}\0${password}`).toString('base64'),
      ];

const NO_HEADERS: FacilitatorHeaders = { plain: {}, byOrigin: {} };

const facilitatorHeaderProblems = (env: Env): string[] => {
  const headers = parseFacilitatorHeaders(env.X402_FACILITATOR_HEADERS ?? '{}');
  if (headers === undefined) return [`X402_FACILITATOR_HEADERS must be ${FACILITATOR_HEADERS_RULE}`];
  const named = Object.keys(headers.byOrigin);
  if (named.length === 0 || networkProblems(env).length > 0) return [];
  const known = originsOf(networksOf(env));
  const isStrange = named.some((origin) => !known.includes(origin));
  return isStrange ? ['X402_FACILITATOR_HEADERS names an origin of no configured facilitator'] : [];
};

const toSettings = (env: Env) => {
  const admins = adminsOf(env) ?? [];
  const facilitatorHeaders = parseFacilitatorHeaders(env.X402_FACILITATOR_HEADERS ?? '{}') ?? NO_HEADERS;
  const networks = networksOf(env);
  const smtp = env.SMTP_URL === undefined ? undefined : parseSmtpUrl(env.SMTP_URL)!;
  const publicUrl = (env.PUBLIC_URL ?? `http://127.0.0.1:${env.PORT}`).replace(/\/+$/, '');
  return {
    mode: env.NODE_ENV as 'development' | 'production' | 'test',
    role: env.ROLE as 'all' | 'api' | 'worker',
    http: {
      port: env.PORT,
      host: env.HOST,
      publicUrl,
      trustedProxies: list(env.TRUSTED_PROXIES),
    },
    /** The domain of sign-in messages. It never comes from a request. */
    serviceDomain: env.SERVICE_DOMAIN ?? new URL(publicUrl).host,
    logLevel: env.LOG_LEVEL,
    logRequestIds: env.LOG_REQUEST_IDS ?? (env.NODE_ENV !== 'production' || CONTEXT_IS_CHEAP),
    admins,
    metricsToken: env.METRICS_TOKEN,
    signingSecret: env.SIGNING_SECRET,
    /**
     * The previous or the next secret. The service accepts its signatures everywhere, and never signs new things with
     * it.
     */
    signingSecretPrevious: env.SIGNING_SECRET_PREVIOUS,
    catalogFile: env.CATALOG_FILE,
    /** If it is undefined, the service makes no traces. */
    tracing:
      env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: Object.fromEntries(
              list(env.OTEL_EXPORTER_OTLP_HEADERS).map((pair) => {
                const at = pair.indexOf('=');
                return [pair.slice(0, at), unescaped(pair.slice(at + 1))];
              }),
            ),
            service: env.OTEL_SERVICE_NAME,
            keepPermille: Math.round(Number(env.OTEL_TRACES_SAMPLER_ARG) * 1_000),
          },
    price: {
      chatFloor: micro(BigInt(env.PRICE_CHAT_FLOOR_MICRO)),
      chatCap: micro(BigInt(env.PRICE_CHAT_CAP_MICRO)),
      chatMarkup: ratio(env.PRICE_CHAT_MARKUP),
      mediaFloor: micro(BigInt(env.PRICE_MEDIA_FLOOR_MICRO)),
      mediaCap: micro(BigInt(env.PRICE_MEDIA_CAP_MICRO)),
      mediaMarkup: ratio(env.PRICE_MEDIA_MARKUP),
    } satisfies PriceRules,
    batches: { discountPercent: env.BATCH_DISCOUNT_PERCENT, callsAtOnce: env.BATCH_CALLS_AT_ONCE },
    limits: {
      address: env.RATE_LIMIT_ADDRESS ?? addressLimit(env),
      media: env.RATE_LIMIT_MEDIA,
      chat: env.RATE_LIMIT_CHAT,
      text: env.RATE_LIMIT_TEXT,
      challenge: env.RATE_LIMIT_CHALLENGE,
      free: env.RATE_LIMIT_FREE,
      references: env.RATE_LIMIT_REFERENCES,
      topUp: env.RATE_LIMIT_TOP_UP,
      signIn: env.RATE_LIMIT_SIGN_IN,
      webhookTests: env.RATE_LIMIT_WEBHOOK_TESTS,
    } satisfies RateLimits,
    media: {
      syncSeconds: env.MEDIA_SYNC_SECONDS,
      jobDeadlineSeconds: env.JOB_DEADLINE_SECONDS,
      retentionDays: env.MEDIA_RETENTION_DAYS,
    },
    x402: {
      /** The default network. */
      ...networks[0]!,
      /** Every network on which payments arrive, the default first. */
      networks,
      facilitatorHeaders: facilitatorHeaders.plain,
      facilitatorHeadersByOrigin: facilitatorHeaders.byOrigin,
      relayerKey: env.X402_RELAYER_KEY as `0x${string}` | undefined,
      gasMax: BigInt(env.X402_GAS_MAX),
      feeFloor: micro(BigInt(env.X402_FEE_FLOOR_MICRO)),
      /** The highest cost of the daily checkpoint of the transparency log on the chain. If it is 0, none is written. */
      anchorMicro: micro(BigInt(env.TRANSPARENCY_ANCHOR_MICRO)),
      lateFailureCredit: env.X402_LATE_FAILURE_CREDIT,
      channels: {
        offered: env.X402_CHANNELS,
        /** The key that signs claims and refunds. Open channels name its address, so a new key can't claim them. */
        key: (env.X402_CHANNEL_KEY ?? env.X402_RELAYER_KEY) as `0x${string}` | undefined,
        withdrawSeconds: env.X402_CHANNEL_WITHDRAW_SECONDS,
        claimSeconds: env.X402_CHANNEL_CLAIM_SECONDS,
        claimMin: micro(BigInt(env.X402_CHANNEL_CLAIM_MICRO)),
        idleSeconds: env.X402_CHANNEL_IDLE_SECONDS,
      },
    },
    liveCosts: env.LIVE_COSTS,
    fetchAllowHosts: list(env.FETCH_ALLOW_HOSTS),
    blobs: {
      store: env.BLOB_STORE as 'disk' | 's3',
      s3: {
        endpoint: env.S3_ENDPOINT,
        region: env.S3_REGION,
        bucket: env.S3_BUCKET,
        accessKeyId: env.S3_ACCESS_KEY_ID,
        secretAccessKey: env.S3_SECRET_ACCESS_KEY,
      },
    },
    /** `rules`, or the name of the provider that screens. */
    policy: {
      adapter: env.POLICY,
      file: env.POLICY_FILE,
      limits: {
        thresholds: thresholdsOf(env.POLICY_THRESHOLDS),
        adultCategories: categoriesOf(env.POLICY_ADULT_CATEGORIES),
      },
      /** Whether results are screened before a caller gets them. */
      screensResults: env.POLICY_RESULTS,
    },
    /** The accounts, and the wallets in lower case, that may use models for adults only. */
    adultsAllowed: list(env.ADULTS_ALLOWED).map((owner) =>
      /^0x/i.test(owner) ? owner.toLowerCase() : owner,
    ),
    embedder: {
      adapter: env.EMBEDDER as 'local' | 'http',
      url: env.EMBEDDER_URL,
      key: env.EMBEDDER_KEY,
      model: env.EMBEDDER_MODEL,
    },
    billing: {
      processor: env.BILLING_PROCESSOR as 'sandbox' | 'stripe',
      stripe: {
        secretKey: env.STRIPE_SECRET_KEY,
        webhookSecret: env.STRIPE_WEBHOOK_SECRET,
        apiUrl: env.STRIPE_API_URL,
      },
      /** The operator on invoices. */
      seller: {
        name: env.SELLER_NAME,
        address: env.SELLER_ADDRESS?.split(';')
          .map((line) => line.trim())
          .join('\n'),
        taxId: env.SELLER_TAX_ID,
      },
    },
    /** If it is undefined, the service sends no mail. */
    mail: smtp && { server: smtp, isLocal: isLoopback(env.SMTP_URL!), from: senderOf(env.SMTP_FROM!) },
    regions: {
      sanctioned: env.SANCTIONED_REGIONS === 'none' ? [] : list(env.SANCTIONED_REGIONS),
      walletsFile: env.SANCTIONED_WALLETS_FILE,
      header: env.REGION_HEADER?.toLowerCase(),
      geoipFile: env.GEOIP_FILE,
    },
    allowSandboxMix: env.ALLOW_SANDBOX_MIX,
    /** The witnesses that cosign checkpoints of the transparency log. */
    witnesses: witnessesOf(env.TRANSPARENCY_WITNESSES),
    /** The certificate that signs results. By default the service makes a development certificate. */
    contentCredentials: { certificate: env.C2PA_CERTIFICATE, key: env.C2PA_KEY },
  } as const;
};

/** Everything that an operator can set, validated and frozen. No other code reads the environment. */
export type Settings = SettingsOf<typeof restSettings> & DatabaseSettings & CommonSettings;

/** The injection token of the one settings object. */
export const SETTINGS = Symbol('SETTINGS');

const CIDR = /^(.+?)(?:\/(\d{1,3}))?$/;

const isNetwork = (text: string): boolean => {
  const [, address = '', bits] = CIDR.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128));
};

const OWNER = /^(acc_[\w-]{1,60}|0x[a-fA-F0-9]{40})$/;

/** The value of `POLICY` for the service's own rules, without a provider. */
const RULES = 'rules';

/** The screening party must be enabled and able to screen. */
const policyProblems = ({ POLICY: policy }: Env, { parties }: Outside): string[] => {
  if (policy === RULES) return [];
  const party = parties.find(({ name }) => name === policy);
  if (party?.screens !== true) {
    const able = parties.filter(({ screens }) => screens).map(({ name }) => name);
    return [`POLICY must be one of ${[RULES, ...able].join(', ')}`];
  }
  return party.isOn ? [] : [`${party.enabledBy} is required with POLICY=${policy}`];
};

const credentialProblems = ({ C2PA_CERTIFICATE: certificate, C2PA_KEY: key }: Env): string[] => {
  if (certificate === undefined || key === undefined) return [];
  try {
    SigningCertificate.read(certificate, key);
    return [];
  } catch {
    return [
      'C2PA_CERTIFICATE and C2PA_KEY must be PEM: a certificate with its chain, and the key of the certificate',
    ];
  }
};

/** The rules of the settings that describe one network. */
const singleNetworkProblems = (env: Env): string[] => {
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
    ...list(env.X402_RPC_URL)
      .filter((item) => !/^https?:\/\/./.test(item))
      .map(() => 'X402_RPC_URL must list http or https addresses'),
  ];
};

const conflicts = (env: Env & DatabaseVariables, outside: Outside): string[] => {
  const real = [
    ...new Set(outside.parties.flatMap(({ isOn, enabledBy }) => (isOn ? (enabledBy ?? []) : []))),
  ];
  const ofNetworks = networkProblems(env);
  const networks = ofNetworks.length > 0 ? [] : networksOf(env);
  const [first] = networks;
  const sandbox = outside.freeOfMoney;
  const mixed = real.length > 0 && sandbox.length > 0 && !env.ALLOW_SANDBOX_MIX;
  return [
    ...needs(env, env.DATABASE_URL !== undefined, 'with DATABASE_URL', 'SIGNING_SECRET'),
    ...(env.X402_NETWORKS === undefined ? singleNetworkProblems(env) : ofNetworks),
    ...needs(env, env.TRANSPARENCY_ANCHOR_MICRO > 0, 'with TRANSPARENCY_ANCHOR_MICRO', 'X402_NATIVE_USD'),
    ...(env.TRANSPARENCY_ANCHOR_MICRO > 0 && first !== undefined && first.facilitator !== 'local'
      ? ['TRANSPARENCY_ANCHOR_MICRO needs X402_FACILITATOR=local, whose relayer sends the transaction']
      : []),
    ...needs(env, env.BLOB_STORE === 's3', 'with BLOB_STORE=s3', 'S3_BUCKET'),
    ...policyProblems(env, outside),
    ...limitProblems(env.POLICY_THRESHOLDS, env.POLICY_ADULT_CATEGORIES),
    ...(list(env.ADULTS_ALLOWED).every((owner) => OWNER.test(owner))
      ? []
      : ['ADULTS_ALLOWED must list accounts (acc_…) and wallets (0x and 40 hexadecimal digits)']),
    ...needs(env, env.C2PA_CERTIFICATE !== undefined, 'with C2PA_CERTIFICATE', 'C2PA_KEY'),
    ...needs(env, env.C2PA_KEY !== undefined, 'with C2PA_KEY', 'C2PA_CERTIFICATE'),
    ...credentialProblems(env),
    ...needs(env, env.EMBEDDER === 'http', 'with EMBEDDER=http', 'EMBEDDER_URL'),
    ...needs(
      env,
      env.BILLING_PROCESSOR === 'stripe',
      'with BILLING_PROCESSOR=stripe',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ),
    ...(adminsOf(env) === undefined ? [`ADMIN_TOKENS must list ${ADMIN_TOKENS_RULE}`] : []),
    ...facilitatorHeaderProblems(env),
    ...needs(env, env.SMTP_URL !== undefined, 'with SMTP_URL', 'SMTP_FROM'),
    ...(env.SMTP_URL !== undefined && parseSmtpUrl(env.SMTP_URL) === undefined
      ? [`SMTP_URL must be ${SMTP_URL_RULE}`]
      : []),
    ...(mixed
      ? [
          `${real.join(' and ')} would spend real money while ${sandbox.join(' and ')} takes none; ` +
            'set up both sides for real, or set ALLOW_SANDBOX_MIX=true if you mean it',
        ]
      : []),
    ...list(env.TRUSTED_PROXIES)
      .filter((item) => !isNetwork(item))
      .map(
        (item) => `TRUSTED_PROXIES must list addresses or networks such as 10.0.0.0/8; ${item} is neither`,
      ),
    ...list(env.FETCH_ALLOW_HOSTS)
      .filter((item) => !URL.canParse(`http://${item}`) || /[/@?#]/.test(item))
      .map((item) => `FETCH_ALLOW_HOSTS must list hosts such as media.internal:8080; ${item} is none`),
    ...witnessesOf(env.TRANSPARENCY_WITNESSES)
      .filter(({ url, key }) => !/^https?:\/\/./.test(url) || parseVerifierKey(key)?.type !== COSIGNATURE)
      .map(
        () =>
          'TRANSPARENCY_WITNESSES must list witnesses, each its http or https address, a space and its verifier key, ' +
          'with commas between them',
      ),
  ];
};

/** The settings by which parts of the service take no real money. */
const freeOfMoney = (env: Env): readonly string[] => {
  const networks = networkProblems(env).length > 0 ? [] : networksOf(env);
  const plays = networks.some(({ facilitator }) => facilitator === 'sandbox');
  return [
    plays
      ? [env.X402_NETWORKS === undefined ? 'X402_FACILITATOR=sandbox' : 'a sandbox of X402_NETWORKS']
      : [],
    env.BILLING_PROCESSOR === 'sandbox' ? ['BILLING_PROCESSOR=sandbox'] : [],
  ].flat();
};

export const restSettings = defineSettings({
  variables: Env,
  read: toSettings,
  problems: conflicts,
  freeOfMoney,
  secrets: (env: Env) => [
    ...(adminsOf(env) ?? []).map(({ token }) => token),
    ...passwordsOf((env.SMTP_URL && parseSmtpUrl(env.SMTP_URL)) || {}),
    ...secretsInHeaders(parseFacilitatorHeaders(env.X402_FACILITATOR_HEADERS ?? '{}') ?? NO_HEADERS),
  ],
  live: [
    'admins',
    'metricsToken',
    'adultsAllowed',
    'mail',
    'x402.facilitatorHeaders',
    'x402.facilitatorHeadersByOrigin',
    'x402.relayerKey',
    'blobs.s3.accessKeyId',
    'blobs.s3.secretAccessKey',
    'embedder.key',
    'billing.stripe.secretKey',
    'billing.stripe.webhookSecret',
  ],
});
