import { micro } from '../kernel/money';
import { readSettings } from '../settings';
import type { TextModel } from './catalog';
import { ChatPricing, charsOf } from './chat-pricing';

const settings = readSettings({ PRICE_CHAT_FLOOR_MICRO: '2100' });
const model = {
  id: 'lumen-flash',
  rates: { input: micro(220_000n), output: micro(430_000n) },
} as unknown as TextModel;

describe('a chat call', () => {
  it('counts the characters of all its messages, as people count them', () => {
    expect(charsOf([{ content: 'abc' }, { content: '🦊' }, { content: '' }])).toBe(4);
    expect(charsOf([])).toBe(0);
  });

  it('costs its characters and the tokens that it may answer with', () => {
    expect(new ChatPricing(settings).price(model, 7_001, 2_048)).toEqual({
      modelId: 'lumen-flash',
      mode: 'chat',
      input: 'chat|7001|2048',
      list: 4_403n,
      floor: 2_100n,
      live: false,
    });
  });

  it('that names no bound may answer with 1024 tokens', () => {
    const pricing = new ChatPricing(settings);

    expect(pricing.price(model, 7_001)).toEqual(pricing.price(model, 7_001, 1_024));
  });
});
