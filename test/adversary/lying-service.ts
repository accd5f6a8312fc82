import type { ServerResponse } from 'node:http';

import { VENDOR_WORDS } from '../support/fake-provider';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { Dice, LIES, LIE_NAMES, twisted, whole } from './odd-answers';

/** The policy forbids every prompt with this word. */
export const FORBIDDEN = 'forbidden';

interface Settlement {
  readonly moved: boolean;
  readonly transaction: string;
}

interface WireBody {
  readonly paymentPayload?: {
    readonly payload: { readonly authorization: { readonly nonce: string; readonly from: string } };
  };
  readonly paymentRequirements?: { readonly network: string };
  readonly input?: readonly { readonly text?: string }[];
}

/** The routes of vendors, which answer honestly here. */
const VENDOR: ReadonlySet<string> = new Set(['completions', 'generations']);

/** A facilitator, a policy and an embedder in one server. It does its work, but only every third answer is true. */
export class LyingService extends LoopbackServer {
  /** The real end of each nonce that was to be settled. */
  readonly settled = new Map<string, Settlement>();
  readonly reported = new Map<string, number>();
  /** Whether all answers are true. */
  honest = false;
  private times = 0;

  constructor(
    private readonly seed: string,
    private readonly png: Buffer,
  ) {
    super();
  }

  get env(): Readonly<Record<string, string>> {
    const { origin } = this;
    return {
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: `${origin}/x402`,
      X402_PAY_TO: '0x209693bc6afc0c5328ba36faf03c514ef312287c',
      POLICY: 'openai',
      OPENAI_BASE_URL: `${origin}/openai`,
      OPENAI_API_KEY: 'sk-fake-0123456789',
      EMBEDDER: 'http',
      EMBEDDER_URL: `${origin}/embeddings`,
    };
  }

  protected override serve({ path, body: bytes }: Received, response: ServerResponse): void {
    const text = bytes.toString();
    const operation = path.split('/').at(-1) ?? '';
    const asked = (text === '' ? {} : JSON.parse(text)) as WireBody;
    const dice = new Dice(`${this.seed} ${operation} ${(this.times += 1)}`);
    const truth = this.truthOf(operation, asked, dice);
    const kind = this.honest || VENDOR.has(operation) ? 0 : dice.roll(3);
    const answer = kind === 1 ? twisted(truth, dice) : truth;
    const name = kind < 2 ? (['the truth', 'a twist'] as const)[kind]! : dice.one(LIE_NAMES);
    const body = Buffer.from(JSON.stringify(answer));
    this.reported.set(name, (this.reported.get(name) ?? 0) + 1);
    (kind < 2 ? whole : LIES[name]!)(response, body, 'application/json', dice);
  }

  private truthOf(operation: string, asked: WireBody, dice: Dice): unknown {
    switch (operation) {
      case 'supported':
        return { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] };
      case 'verify':
        return { isValid: true, payer: asked.paymentPayload?.payload.authorization.from };
      case 'settle':
        return this.settle(asked, dice);
      case 'completions':
        return {
          choices: [{ message: { role: 'assistant', content: 'Well said.' } }],
          usage: { prompt_tokens: 5, completion_tokens: 7 },
        };
      case 'generations':
        return { created: 1, data: [{ b64_json: this.png.toString('base64') }] };
      case 'moderations': {
        const flagged = asked.input?.some((input) => JSON.stringify(input).includes(FORBIDDEN)) ?? false;
        return { id: 'modr-1', results: [{ flagged, categories: { violence: flagged } }], x: VENDOR_WORDS };
      }
      default: {
        const data = (asked.input ?? []).map((_, index) => ({ index, embedding: [1, index + 0.5, 0.25] }));
        return { object: 'list', data, usage: VENDOR_WORDS };
      }
    }
  }

  /** Settles once, and before it answers. */
  private settle({ paymentPayload, paymentRequirements }: WireBody, dice: Dice): unknown {
    const { nonce = '', from: payer } = paymentPayload?.payload.authorization ?? {};
    const network = paymentRequirements?.network;
    const before = this.settled.get(nonce);
    const { moved, transaction } = before ?? { moved: dice.roll(4) > 0, transaction: nonce };
    this.settled.set(nonce, { moved, transaction });
    return moved
      ? { success: true, transaction, network, payer, x: VENDOR_WORDS }
      : { success: false, errorReason: 'insufficient_funds', errorMessage: VENDOR_WORDS, transaction: '' };
  }
}
