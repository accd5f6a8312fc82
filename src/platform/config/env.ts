import { Expose } from 'class-transformer';
import { IsOptional, MaxLength, MinLength } from 'class-validator';

import { DEFAULT_LIMITS } from './default-limits';
import { MAIL_FROM } from './mail-sender';
import { Choice, Flag, Pattern, Rotating, Secret, Text, Url, Whole } from './variables';

/**
 * Every environment variable of the service, with its rule and default. Vendors declare their own variables, and
 * `default-limits.ts` has the defaults of rate limits. `.env.example` explains each variable.
 */
export class Env {
  /** The service reads this setting first, and only from the environment. */
  @Text() readonly SETTINGS_FILE: string = '.env';
  @Choice('development', 'production', 'test') readonly NODE_ENV: string = 'development';
  @Whole(0, 65_535) readonly PORT: number = 3000;
  @Text(255) readonly HOST: string = '127.0.0.1';
  @Url() readonly PUBLIC_URL?: string;
  @Text(255) readonly SERVICE_DOMAIN?: string;
  @Choice('all', 'api', 'worker') readonly ROLE: string = 'all';
  @Choice('trace', 'debug', 'info', 'warn', 'error', 'silent') readonly LOG_LEVEL: string = 'info';
  @Flag() @IsOptional() readonly LOG_REQUEST_IDS?: boolean;
  @Rotating() @Expose() @IsOptional() @MinLength(16) @MaxLength(500) readonly ADMIN_TOKEN?: string;
  @Rotating() @Text(10_000) readonly ADMIN_TOKENS?: string;
  @Rotating() @Expose() @IsOptional() @MinLength(16) @MaxLength(500) readonly METRICS_TOKEN?: string;
  @Secret() @Expose() @IsOptional() @MinLength(32) @MaxLength(500) readonly SIGNING_SECRET?: string;
  @Secret()
  @Expose()
  @IsOptional()
  @MinLength(32)
  @MaxLength(500)
  readonly SIGNING_SECRET_PREVIOUS?: string;
  @Text() readonly CATALOG_FILE?: string;

  @Url() readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  @Secret()
  @Pattern(/^[\w-]+=[^,]+(,[\w-]+=[^,]+)*$/, 'headers such as authorization=…,x-tenant=…')
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string;
  @Text(100) readonly OTEL_SERVICE_NAME: string = 'lamppost';
  @Pattern(/^(1|0|1\.0+|0\.\d{1,3})$/, 'a share from 0 to 1 with three digits at most')
  readonly OTEL_TRACES_SAMPLER_ARG: string = '1';

  @Whole(1, 1_000_000_000) readonly PRICE_CHAT_FLOOR_MICRO: number = 2_000;
  @Whole(1, 1_000_000_000) readonly PRICE_CHAT_CAP_MICRO: number = 841_144;
  @Pattern(/^\d{1,6}\/\d{1,6}$/, 'a ratio such as 10/3') readonly PRICE_CHAT_MARKUP: string = '10/3';
  @Whole(1, 1_000_000_000) readonly PRICE_MEDIA_FLOOR_MICRO: number = 4_546;
  @Whole(1, 1_000_000_000) readonly PRICE_MEDIA_CAP_MICRO: number = 83_076_924;
  @Pattern(/^\d{1,6}\/\d{1,6}$/, 'a ratio such as 20/13') readonly PRICE_MEDIA_MARKUP: string = '20/13';

  @Whole(0, 90) readonly BATCH_DISCOUNT_PERCENT: number = 0;
  @Whole(1, 100) readonly BATCH_CALLS_AT_ONCE: number = 8;

  @Whole(0, 1_000_000_000) @IsOptional() readonly RATE_LIMIT_ADDRESS?: number;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_MEDIA: number = DEFAULT_LIMITS.media;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_CHAT: number = DEFAULT_LIMITS.chat;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_TEXT: number = DEFAULT_LIMITS.text;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_CHALLENGE: number = DEFAULT_LIMITS.challenge;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_FREE: number = DEFAULT_LIMITS.free;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_REFERENCES: number = DEFAULT_LIMITS.references;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_TOP_UP: number = DEFAULT_LIMITS.topUp;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_SIGN_IN: number = DEFAULT_LIMITS.signIn;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_WEBHOOK_TESTS: number = DEFAULT_LIMITS.webhookTests;

  @Whole(1, 600) readonly MEDIA_SYNC_SECONDS: number = 100;
  @Whole(10, 86_400) readonly JOB_DEADLINE_SECONDS: number = 1_800;
  @Whole(1, 3_650) readonly MEDIA_RETENTION_DAYS: number = 30;

  @Pattern(/^eip155:\d{1,10}$/, 'a network such as eip155:8453')
  readonly X402_NETWORK: string = 'eip155:8453';
  @Secret() @Text(20_000) readonly X402_NETWORKS?: string;
  @Pattern(/^0x[a-fA-F0-9]{40}$/, 'a token address')
  readonly X402_ASSET: string = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  @Pattern(/^0x[a-fA-F0-9]{40}$/, 'a wallet address') readonly X402_PAY_TO?: string;
  @Choice('sandbox', 'local', 'http') readonly X402_FACILITATOR: string = 'sandbox';
  @Url() readonly X402_FACILITATOR_URL?: string;
  @Rotating() @Text(4_000) readonly X402_FACILITATOR_HEADERS?: string;
  @Text(4_000) readonly X402_RPC_URL?: string;
  @Rotating()
  @Pattern(/^0x[a-fA-F0-9]{64}$/, 'a private key of 32 bytes in hex')
  readonly X402_RELAYER_KEY?: string;
  @Whole(60_000, 30_000_000) readonly X402_GAS_MAX: number = 300_000;
  @Pattern(/^(?!0+(\.0+)?$)\d{1,9}(\.\d{1,6})?$/, 'a price in USD such as 3150.25')
  readonly X402_NATIVE_USD?: string;
  @Whole(0, 1_000_000_000) readonly X402_FEE_FLOOR_MICRO: number = 5_000;
  @Flag() readonly X402_LATE_FAILURE_CREDIT: boolean = true;
  @Flag() readonly X402_CHANNELS: boolean = true;
  @Secret()
  @Pattern(/^0x[a-fA-F0-9]{64}$/, 'a private key of 32 bytes in hex')
  readonly X402_CHANNEL_KEY?: string;
  @Whole(900, 2_592_000) readonly X402_CHANNEL_WITHDRAW_SECONDS: number = 86_400;
  @Whole(10, 86_400) readonly X402_CHANNEL_CLAIM_SECONDS: number = 3_600;
  @Whole(1, 1_000_000_000_000) readonly X402_CHANNEL_CLAIM_MICRO: number = 10_000_000;
  @Whole(60, 31_536_000) readonly X402_CHANNEL_IDLE_SECONDS: number = 604_800;

  @Flag() readonly LIVE_COSTS: boolean = true;
  @Text(4_000) readonly FETCH_ALLOW_HOSTS?: string;

  @Choice('disk', 's3') readonly BLOB_STORE: string = 'disk';
  @Url() readonly S3_ENDPOINT?: string;
  @Text(100) readonly S3_REGION: string = 'us-east-1';
  @Text(255) readonly S3_BUCKET?: string;
  @Rotating({ switches: true }) @Text() readonly S3_ACCESS_KEY_ID?: string;
  @Rotating({ switches: true }) @Text() readonly S3_SECRET_ACCESS_KEY?: string;

  @Text(100) readonly POLICY: string = 'rules';
  @Text() readonly POLICY_FILE?: string;
  @Text(4_000) readonly POLICY_THRESHOLDS?: string;
  @Flag() readonly POLICY_RESULTS: boolean = false;
  @Text(1_000) readonly POLICY_ADULT_CATEGORIES: string = 'sexual';
  @Rotating() @Text(40_000) readonly ADULTS_ALLOWED?: string;
  @Choice('local', 'http') readonly EMBEDDER: string = 'local';
  @Url() readonly EMBEDDER_URL?: string;
  @Rotating() @Text() readonly EMBEDDER_KEY?: string;
  @Text(200) readonly EMBEDDER_MODEL?: string;

  @Choice('sandbox', 'stripe') readonly BILLING_PROCESSOR: string = 'sandbox';
  @Rotating() @Text() readonly STRIPE_SECRET_KEY?: string;
  @Rotating() @Text() readonly STRIPE_WEBHOOK_SECRET?: string;
  @Url() readonly STRIPE_API_URL?: string;

  @Text(200) readonly SELLER_NAME?: string;
  @Text(500) readonly SELLER_ADDRESS?: string;
  @Text(50) readonly SELLER_TAX_ID?: string;

  @Rotating({ switches: true }) @Text() readonly SMTP_URL?: string;
  @Pattern(MAIL_FROM, 'an e-mail address such as alerts@example.com, or Lamppost <alerts@example.com>')
  readonly SMTP_FROM?: string;

  @Pattern(
    /^(none|[A-Z]{2}(-[A-Z0-9]{1,3})?(,[A-Z]{2}(-[A-Z0-9]{1,3})?)*)$/,
    'codes such as CU,UA-43, or none',
  )
  readonly SANCTIONED_REGIONS: string = 'CU,IR,KP,SY,UA-43,UA-14,UA-09';
  @Text() readonly SANCTIONED_WALLETS_FILE?: string;
  @Pattern(/^[A-Za-z0-9-]{1,100}$/, 'a header name') readonly REGION_HEADER?: string;
  @Text(4_000) readonly TRUSTED_PROXIES?: string;
  @Text() readonly GEOIP_FILE?: string;
  @Text(8_000) readonly TRANSPARENCY_WITNESSES?: string;
  @Whole(0, 1_000_000_000) readonly TRANSPARENCY_ANCHOR_MICRO: number = 0;
  @Text(40_000) readonly C2PA_CERTIFICATE?: string;
  @Secret() @Text(10_000) readonly C2PA_KEY?: string;
  @Flag() readonly ALLOW_SANDBOX_MIX: boolean = false;
}
