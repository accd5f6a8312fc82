import './quill/in-the-list';

import { readFileSync } from 'node:fs';

import { NotServed } from '../../src/providers/providers.errors';
import { holdTextVendorToContract } from '../contract/text-vendor-contract';
import { TEXT_VENDORS } from '../contract/text-vendors';
import { FakeQuill } from './quill/fake-quill';
import { QuillTextProvider } from './quill/quill-text.provider';

TEXT_VENDORS['quill'] = {
  start: () => new FakeQuill().start(),
  variables: (baseUrl) => ({ QUILL_BASE_URL: `${baseUrl}/v1`, QUILL_API_KEY: FakeQuill.key }),
  provider: 'quill',
  model: 'goose',
  emptyAccount: { status: 400, json: { error: { message: 'Your inkwell is empty. Fill it.' } } },
};

describe('a vendor of texts with words of its own', () => {
  it.each(['quill.wire.ts', 'quill-text.provider.ts', 'quill.vendor.ts'])(
    'is in the walk-through, word for word: %s',
    (name) => {
      const source = readFileSync(`test/extending/quill/${name}`, 'utf8')
        .replaceAll("'../../../src/providers/", "'../")
        .replaceAll("'../../../src/", "'../../");

      expect(readFileSync('docs/extending.md', 'utf8')).toContain(source);
    },
  );

  it('leaves what it can not translate to the next route', async () => {
    const provider = new QuillTextProvider({ baseUrl: 'http://127.0.0.1:9', key: undefined });
    const tool = { role: 'tool', content: 'rain', tool_call_id: 'call_1' };
    const stream = provider.converse(
      { model: 'goose', maxTokens: 9, ourId: 'ch_1', body: { messages: [tool] } },
      AbortSignal.timeout(1_000),
    );

    await expect(stream[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(NotServed);
    await provider.close();
  });

  describe('is held to the contract', () => {
    holdTextVendorToContract('quill');
  });
});
