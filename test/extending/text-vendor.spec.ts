import './quill/in-the-list';

import { readFileSync } from 'node:fs';

import { holdTextVendorToContract } from '../contract/text-vendor-contract';

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
