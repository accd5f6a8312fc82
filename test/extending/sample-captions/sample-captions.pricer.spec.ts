import { SampleCaptionsPricer } from './sample-captions.pricer';

describe('the price of sample captions', () => {
  const pricer = new SampleCaptionsPricer();

  it('grows with the text', () => {
    const [short, long] = ['a', 'a'.repeat(500)].map((text) => pricer.price({ text } as never));

    expect([short?.list, long?.list]).toEqual([1_001n, 1_500n]);
  });

  it('has another line for each price, so that a quote buys only what it priced', () => {
    const lines = ['a', 'ab', 'abc'].map((text) => pricer.price({ text } as never).input);

    expect(new Set(lines).size).toBe(3);
  });
});
