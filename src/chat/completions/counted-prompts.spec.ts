import { CountedPrompts, type SentPrompt } from './counted-prompts';

const WORDS = 'The lamp is in the street and gives some light. ';
const textOf = (times: number): string => WORDS.repeat(times);
const promptOf = (text: string, more: Partial<SentPrompt> = {}): SentPrompt => ({
  modelId: 'm',
  chars: text.length,
  beginning: text.slice(0, 4_000),
  images: 0,
  ...more,
});

describe('the counts of earlier turns', () => {
  const first = textOf(1_000);
  let prompts: CountedPrompts;

  beforeEach(() => {
    prompts = new CountedPrompts();
    prompts.learn(promptOf(first), 5_000);
  });

  const likely = (text: string, more: Partial<SentPrompt> = {}): number =>
    prompts.likely(promptOf(text, more), text, 1_000);

  it('are the beginning of the estimate of the next turn', () => {
    expect(likely(first)).toBe(5_000);
    const more = likely(first + textOf(100)) - 5_000;
    expect(more).toBeGreaterThan(1_000);
    expect(more).toBeLessThan(2_000);
  });

  it('shrink with the conversation', () => {
    expect(likely(textOf(500))).toBe(2_500);
  });

  it('add the images that are new', () => {
    prompts.learn(promptOf(first, { images: 1 }), 6_000);

    expect(likely(first, { images: 3 })).toBe(8_000);
    expect(likely(first, { images: 0 })).toBe(6_000);
  });

  it('say nothing about other models, other beginnings and short texts', () => {
    const fresh = new CountedPrompts();
    const unknown = fresh.likely(promptOf(first), first, 1_000);

    expect(likely(first, { modelId: 'other' })).toBe(unknown);
    expect(likely(first, { beginning: 'other' })).toBe(unknown);
    const short = textOf(10);
    prompts.learn(promptOf(short), 1);
    expect(likely(short)).toBe(fresh.likely(promptOf(short), short, 1_000));
  });
});
