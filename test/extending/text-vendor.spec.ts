import './quill/in-the-list';

import { readFileSync } from 'node:fs';

import { holdTextVendorToContract } from '../contract/text-vendor-contract';
import { walkThroughText } from '../support/walk-throughs';

describe('a vendor of texts with words of its own', () => {
  it.each(['quill.wire.ts', 'quill.vendor.ts'])('is in the walk-through, word for word: %s', (name) => {
    const source = readFileSync(`test/extending/quill/${name}`, 'utf8');

    expect(walkThroughText()).toContain(source);
  });

  describe('is held to the contract', () => {
    holdTextVendorToContract('quill');
  });
});
