import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeBedrock } from '../support/fake-bedrock';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { FakeGemini } from '../support/fake-gemini';
import { FakeVertex } from '../support/fake-vertex';
import type { FakeReply } from '../support/fake-provider';
import type { FakeTextServer } from '../support/fake-text-server';
import { fixtureOf } from './fixtures';

export interface TextVendor {
  start(): Promise<FakeTextServer>;
  /** The settings that enable the vendor at this address, with the fake's key. */
  variables(baseUrl: string, key: string): Readonly<Record<string, string>>;
  /** Its name in the catalog. For a kind of server, it is the name in the settings. */
  readonly provider: string;
  readonly model: string;
  /** Its answer when the operator's account has no credit. */
  readonly emptyAccount: FakeReply;
  /** It accepts only plain texts, so the next route serves all other calls. */
  readonly plain?: true;
  /** Its count of a prompt does not include the cached part. */
  readonly countsCacheApart?: true;
}

/** By the name in `src/models/providers/vendors.ts`. */
const TEXT_VENDORS: Readonly<Record<string, TextVendor>> = {
  openai: {
    start: () => FakeChatCompletions.start(),
    variables: (baseUrl, key) => ({ OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: key }),
    provider: 'openai',
    model: 'gpt-4o',
    emptyAccount: {
      status: 429,
      json: { error: { code: 'insufficient_quota', message: 'You are over it.' } },
    },
  },
  'openai-compatible': {
    start: () => FakeChatCompletions.start(),
    variables: (baseUrl, key) => ({
      OPENAI_COMPATIBLE_SERVERS: 'claude',
      CLAUDE_BASE_URL: `${baseUrl}/v1`,
      CLAUDE_API_KEY: key,
    }),
    provider: 'claude',
    model: 'claude-sonnet',
    emptyAccount: {
      status: 400,
      json: {
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        },
      },
    },
  },
  anthropic: {
    start: () => FakeAnthropic.start(),
    variables: (baseUrl, key) => ({ ANTHROPIC_BASE_URL: `${baseUrl}/v1`, ANTHROPIC_API_KEY: key }),
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    countsCacheApart: true,
    emptyAccount: {
      status: 400,
      json: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        },
      },
    },
  },
  gemini: {
    start: () => FakeGemini.start(),
    variables: (baseUrl, key) => ({ GEMINI_BASE_URL: `${baseUrl}/v1beta`, GEMINI_API_KEY: key }),
    provider: 'gemini',
    model: 'gemini-3.5-flash',
    emptyAccount: {
      status: 402,
      json: {
        error: {
          code: 402,
          message: 'Your prepayment credits are depleted. Please go to AI Studio.',
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    },
  },
  bedrock: {
    start: () => FakeBedrock.start(),
    variables: (baseUrl, key) => ({
      BEDROCK_BASE_URL: baseUrl,
      BEDROCK_ACCESS_KEY_ID: FakeBedrock.KEY_ID,
      BEDROCK_SECRET_ACCESS_KEY: key,
    }),
    provider: 'bedrock',
    model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    countsCacheApart: true,
    emptyAccount: {
      status: 403,
      json: {
        message:
          'Model access is denied due to INVALID_PAYMENT_INSTRUMENT:A valid payment instrument must be provided.',
      },
    },
  },
  vertex: {
    start: () => FakeVertex.start(),
    variables: (baseUrl) => ({
      VERTEX_BASE_URL: `${baseUrl}/v1`,
      VERTEX_PROJECT: 'fake-project',
      VERTEX_SERVICE_ACCOUNT: FakeVertex.accountAt(baseUrl),
    }),
    provider: 'vertex',
    model: 'gemini-3.5-flash',
    emptyAccount: {
      status: 403,
      json: {
        error: {
          code: 403,
          message: 'This API method requires billing to be enabled.',
          status: 'PERMISSION_DENIED',
          details: [{ reason: 'BILLING_DISABLED' }],
        },
      },
    },
  },
  mistral: {
    start: () => FakeChatCompletions.start('mistral'),
    variables: (baseUrl, key) => ({ MISTRAL_BASE_URL: `${baseUrl}/v1`, MISTRAL_API_KEY: key }),
    provider: 'mistral',
    model: 'mistral-large-latest',
    emptyAccount: { status: 402, json: { object: 'error', message: 'Payment required', code: '1402' } },
  },
  xai: {
    start: () => FakeChatCompletions.start('xai'),
    variables: (baseUrl, key) => ({ XAI_BASE_URL: `${baseUrl}/v1`, XAI_API_KEY: key }),
    provider: 'xai',
    model: 'grok-4.3',
    emptyAccount: {
      status: 403,
      json: {
        code: 'The caller does not have permission to execute the specified operation',
        error: "Your newly created teams doesn't have any credits yet.",
      },
    },
  },
};

/** A vendor that is not listed here has a file `<name>.text-vendor.ts`. */
export const textVendorOf = (name: string): TextVendor => fixtureOf('text-vendor', name, TEXT_VENDORS);
