import type { FakeReply, FakeProvider } from '../support/fake-provider';
import { FakeOpenai } from '../support/fake-openai';

/** A vendor's fake as far as the contract of texts needs it. Calls for texts are its operation `chat`. */
export interface FakeTextVendor extends FakeProvider {
  /** Breaks a stream off after so many of its events; with Infinity, it never ends. */
  streamEndsAfter: number | undefined;
  /** How many streams their reader has left before their end. */
  readonly hungUp: number;
}

export interface TextVendor {
  start(): Promise<FakeTextVendor>;
  /** The variables that switch it on at this address, with the key of the fake. */
  variables(baseUrl: string): Readonly<Record<string, string>>;
  /** Its name in the catalog: of a kind, that of the server in the variables. */
  readonly provider: string;
  readonly model: string;
  /** What it says to an operator whose account there is empty. */
  readonly emptyAccount: FakeReply;
}

const OPENAI_KEY = 'sk-fake-openai-key-0123456789';

/** By its name in `src/providers/vendors.ts`. A vendor of texts without an entry fails the contract. */
export const TEXT_VENDORS: Record<string, TextVendor> = {
  openai: {
    start: () => FakeOpenai.start(),
    variables: (baseUrl) => ({ OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: OPENAI_KEY }),
    provider: 'openai',
    model: 'gpt-4o',
    emptyAccount: {
      status: 429,
      json: { error: { code: 'insufficient_quota', message: 'You are over it.' } },
    },
  },
  'openai-compatible': {
    start: () => FakeOpenai.start(),
    variables: (baseUrl) => ({
      OPENAI_COMPATIBLE_SERVERS: 'claude',
      CLAUDE_BASE_URL: `${baseUrl}/v1`,
      CLAUDE_API_KEY: OPENAI_KEY,
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
};
