import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import type { Said } from '../support/fake-text-server';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';

const FUNDS = 1_000_000;

/** A picture of one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export const CALLS: Said = {
  texts: ['I look.'],
  calls: [
    { name: 'weather', input: { city: 'Oslo' } },
    { name: 'weather', input: { city: 'Rome' } },
  ],
  finish: 'tool_calls',
  counts: { read: 1_000, written: 50 },
};

/** The conversation of both routes, as a vendor receives it. */
export const HANDED_ON = [
  'user: Where?',
  'user shows image/png',
  'assistant: I look.',
  'assistant calls weather {"city":"Oslo"}',
  'assistant calls weather {"city":"Rome"}',
  'tool weather: 4 degrees',
  'tool weather: 4 degrees',
  'user: And now?',
];

/** The price of these tokens in micro-USD, at ten cents and forty cents for a million. */
export const priceOf = (read: number, written: number): number =>
  Math.ceil((read * 100_000 + written * 400_000) / 1_000_000);

/** The service with two models that accept images, each from another vendor, and one model that does not. */
export class CompatibleStage {
  caller!: KeyCaller;

  private constructor(
    readonly world: World,
    readonly url: string,
    readonly fakes: { readonly claude: FakeAnthropic; readonly other: FakeChatCompletions },
  ) {}

  /** `claude` has more fields of the catalog for the model of that name. */
  static async start(claude: Readonly<Record<string, unknown>> = {}): Promise<CompatibleStage> {
    const [anthropic, other] = await Promise.all([FakeAnthropic.start(), FakeChatCompletions.start()]);
    const world = await World.start({
      ...anthropic.env,
      OPENAI_BASE_URL: `${other.origin}/v1`,
      OPENAI_API_KEY: other.key,
      ALLOW_SANDBOX_MIX: 'true',
      RATE_LIMIT_TEXT: '0',
      ...catalogOf(
        [],
        [
          textEntry('claude', ['anthropic:claude-haiku-4-5'], { vision: true, default: true, ...claude }),
          textEntry('other', ['openai:gpt-4o'], { vision: true }),
          textEntry('blind', ['openai:gpt-4o']),
          textEntry('both', ['anthropic:claude-haiku-4-5', 'openai:gpt-4o']),
        ],
      ),
    });
    return new CompatibleStage(world, await world.listen(), { claude: anthropic, other });
  }

  /** A new caller with a dollar. */
  async newCaller(): Promise<KeyCaller> {
    this.caller = await KeyCaller.register(this.world, BigInt(FUNDS));
    return this.caller;
  }

  async spent(): Promise<number> {
    const { body } = await this.world.get('/v1/account', { cookie: this.caller.cookie });
    return FUNDS - body.balanceMicro;
  }

  async tidy(): Promise<void> {
    for (const fake of Object.values(this.fakes)) fake.forgiveAll();
    forgetRoutes(this.world);
    await this.world.expectBooksToBalance();
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await Promise.all(Object.values(this.fakes).map((fake) => fake.stop()));
  }
}
