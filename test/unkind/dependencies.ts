import { VENDORS } from '#models/providers/vendors';
import type { Vendor } from '#models/providers/vendor';
import { settingNames } from '../../src/settings';
import { FakeVertex } from '../support/fake-vertex';
import { filmEntry, pictureEntry, textEntry } from '../support/catalogs';
import { SANDBOX_PAY_TO } from '#money/networks/networks';

type Env = Readonly<Record<string, string>>;

/** An outside server that the service calls. */
export interface Dependency {
  readonly name: string;
  /** The settings that make the service use it at `origin`. */
  readonly env: (origin: string) => Env;
  /** Its protocol, unless it is HTTP. */
  readonly protocol?: string;
}

const LISTED = 'unkind-server';
const KEY = 'a-key-of-an-unkind-world-0123456789';

/** Every vendor of src/models/providers/vendors.ts that has a server. A new vendor is included automatically. */
const vendors: readonly Vendor[] = VENDORS.map((each) => ('one' in each ? each.one(LISTED) : each)).filter(
  ({ enabledBy }) => enabledBy !== undefined,
);

const listing: Env = Object.fromEntries(
  VENDORS.flatMap((each) => ('one' in each ? [[each.listedIn.name, LISTED] as const] : [])),
);

const pathOf = (standard: string | undefined): string => {
  const { pathname } = new URL(standard ?? 'http://vendor.example/v1');
  return pathname === '/' ? '' : pathname;
};

const vendorDependency = (vendor: Vendor): Dependency => ({
  name: vendor.name,
  env: (origin) => ({
    ...(vendor.enabledBy === undefined ? {} : { [vendor.enabledBy]: KEY }),
    ...listing,
    ...Object.fromEntries(
      Object.values(vendor.settings).flatMap((setting) => {
        const { name, isSecret, default: standard } = setting;
        if (name.endsWith('_URL')) return [[name, origin + pathOf(standard)] as const];
        if (isSecret !== true) return [];
        // A secret of several fields is the key file of a service account.
        return [[name, setting.read(KEY) === undefined ? FakeVertex.accountAt(origin) : KEY] as const];
      }),
    ),
  }),
});

const others: readonly Dependency[] = [
  {
    name: 'facilitator',
    env: (origin) => ({
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: `${origin}/x402`,
      X402_PAY_TO: SANDBOX_PAY_TO.replace('dead', 'beef'),
    }),
  },
  { name: 'RPC', env: (origin) => ({ X402_RPC_URL: origin }) },
  {
    name: 'S3',
    env: (origin) => ({
      BLOB_STORE: 's3',
      S3_ENDPOINT: origin,
      S3_BUCKET: 'media',
      S3_ACCESS_KEY_ID: 'AKIAFAKE',
      S3_SECRET_ACCESS_KEY: 'fake-secret',
    }),
  },
  {
    name: 'SMTP',
    protocol: 'smtp',
    env: (origin) => ({ SMTP_URL: origin, SMTP_FROM: 'alerts@lamppost.test' }),
  },
  {
    name: 'Stripe',
    env: (origin) => ({
      BILLING_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_unkind',
      STRIPE_WEBHOOK_SECRET: 'whsec_unkind',
      STRIPE_API_URL: origin,
    }),
  },
  { name: 'collector', env: (origin) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: origin }) },
  {
    name: 'embedder',
    env: (origin) => ({ EMBEDDER: 'http', EMBEDDER_URL: `${origin}/v1/embeddings`, EMBEDDER_KEY: KEY }),
  },
];

export const dependencies: readonly Dependency[] = [...vendors.map(vendorDependency), ...others];

/** Settings of addresses that belong to no outside server, or whose outages databases.spec.ts tests. */
const ELSEWHERE = ['PUBLIC_URL', 'DATABASE_URL', 'DATABASE_DIRECT_URL', 'REDIS_URL'];

/** The settings of addresses that belong to no dependency of this list. */
export const forgotten = (): readonly string[] => {
  const known = dependencies.flatMap(({ env }) => Object.keys(env('http://x')));
  return settingNames(listing).filter(
    (name) => /_(URL|ENDPOINT)$/.test(name) && !ELSEWHERE.includes(name) && !known.includes(name),
  );
};

/** Models with one route each, so that the calls use every adapter. */
export const catalog = (): readonly [media: readonly object[], text: readonly object[]] => {
  const with_ = (mode: string): readonly Vendor[] =>
    vendors.filter(({ serves }) => (serves.modes as readonly string[]).includes(mode));
  const soon = { deadlineSeconds: 10 };
  // The names of Gemini's models have no slash, and the name of a film contains that of its model.
  const routeOf = ({ name }: Vendor) => `${name}:${name === 'gemini' ? 'a-model' : 'a/model'}` as const;
  return [
    [
      ...with_('t2i').map((vendor) => pictureEntry(`${vendor.name}-image`, [routeOf(vendor)], soon)),
      ...with_('t2v').map((vendor) => filmEntry(`${vendor.name}-film`, [routeOf(vendor)], soon)),
    ],
    vendors
      .filter(({ serves }) => serves.text)
      .map(({ name }) => textEntry(`${name}-text`, [`${name}:a-model`])),
  ];
};
