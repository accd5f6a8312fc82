import { SAMPLE_BURST, SAMPLE_EVERY_MS, Sample } from './refusal-sample';

const taken = (sample: Sample, owner: string, now: number, tries: number): number =>
  Array.from({ length: tries }, () => sample.takes(owner, now)).filter(Boolean).length;

describe('the sample of refused calls', () => {
  it('keeps a burst of an owner, and then one note in each interval', () => {
    const sample = new Sample();
    expect(taken(sample, 'a', 0, 200)).toBe(SAMPLE_BURST);
    expect(taken(sample, 'a', SAMPLE_EVERY_MS - 1, 5)).toBe(0);
    expect(taken(sample, 'a', SAMPLE_EVERY_MS, 5)).toBe(1);
    expect(taken(sample, 'a', SAMPLE_EVERY_MS * 4, 5)).toBe(3);
    expect(taken(sample, 'a', SAMPLE_EVERY_MS * 1_000, 200)).toBe(SAMPLE_BURST);
  });

  it('bounds each owner apart', () => {
    const sample = new Sample();
    expect(taken(sample, 'a', 0, 200)).toBe(SAMPLE_BURST);
    expect(taken(sample, 'b', 0, 200)).toBe(SAMPLE_BURST);
  });
});
