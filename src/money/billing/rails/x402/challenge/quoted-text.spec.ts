import { QuotedText } from './quoted-text';

describe('a text with quotes', () => {
  it('is the same text with its own quotes', () => {
    const text = 'first A.1 and B-2, again A.1';

    expect(new QuotedText(text, ['A.1', 'B-2']).with(['A.1', 'B-2'])).toBe(text);
  });

  it('has the quotes of another call at the same places', () => {
    const made = new QuotedText('A.1 and B-2, again A.1', ['A.1', 'B-2']);

    expect(made.with(['a quote', 'another'])).toBe('a quote and another, again a quote');
  });

  it('has no place for a quote that is not in it', () => {
    expect(new QuotedText('only A.1', ['A.1', 'B-2']).with(['a quote', 'another'])).toBe('only a quote');
  });
});
