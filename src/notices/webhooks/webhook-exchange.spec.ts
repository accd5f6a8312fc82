import { plainHeaders, plainText } from './webhook-exchange';

describe('the answer of a receiver', () => {
  it('is kept as plain text, cut, and without characters that deceive', () => {
    expect(plainText('a\u0000b\u001b[31mc\u202ed\r\n\te', 100)).toBe('ab[31mcd\r\n\te'.replace('\r', '\r'));
    expect(plainText('x'.repeat(50), 10)).toHaveLength(10);
    expect(plainText('\ud83d\ude00', 1)).toBe('\ufffd');
  });

  it('loses its cookies, and all headers above twenty', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x-${at}`, 'y'.repeat(500)]));
    const kept = plainHeaders({ 'set-cookie': ['session=1'], ...many });

    expect(Object.keys(kept)).toHaveLength(20);
    expect(kept['set-cookie']).toBeUndefined();
    expect(kept['x-0']).toHaveLength(200);
  });
});
