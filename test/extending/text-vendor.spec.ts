import './quill/in-the-list';

import { readFileSync } from 'node:fs';

import { holdTextVendorToContract } from '../contract/text-vendor-contract';
import { TEXT_VENDORS } from '../contract/text-vendors';
import { FakeQuill } from './quill/fake-quill';

TEXT_VENDORS['quill'] = {
  start: () => new FakeQuill().start(),
  variables: (baseUrl, key) => ({ QUILL_BASE_URL: `${baseUrl}/v1`, QUILL_API_KEY: key }),
  plain: true,
  provider: 'quill',
  model: 'goose',
  emptyAccount: { status: 400, json: { error: { message: 'Your inkwell is empty. Fill it.' } } },
};

/** The same words on any number of lines: an import with shorter paths fits on one. */
const words = (source: string): string => source.replace(/,?\s+/g, ' ');

describe('a vendor of texts with words of its own', () => {
  it.each(['quill.wire.ts', 'quill.vendor.ts'])('is in the walk-through, word for word: %s', (name) => {
    const source = readFileSync(`test/extending/quill/${name}`, 'utf8')
      .replaceAll("'../../../src/providers/", "'../")
      .replaceAll("'../../../src/", "'../../");

    expect(words(readFileSync('docs/extending.md', 'utf8'))).toContain(words(source));
  });

  describe('is held to the contract', () => {
    holdTextVendorToContract('quill');
  });
});
