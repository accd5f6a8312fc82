import { VENDORS } from '../../src/providers/vendors';
import { holdTextVendorToContract } from './text-vendor-contract';

/** All that speak with somebody outside, asked for by no name. */
const names = VENDORS.filter(
  (each) => each.serves.text && ('one' in each || each.enabledBy !== undefined),
).map(({ name }) => name);

describe.each(names)('texts of the vendor %s', (name) => {
  holdTextVendorToContract(name);
});
