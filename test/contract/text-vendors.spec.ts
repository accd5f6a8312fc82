import { VENDORS } from '#models/providers/vendors';
import { holdTextVendorToContract } from './text-vendor-contract';

/** All vendors with an outside server, found without a list of names. */
const names = VENDORS.filter(
  (each) => each.serves.text && ('one' in each || each.enabledBy !== undefined),
).map(({ name }) => name);

describe.each(names)('texts of the vendor %s', (name) => {
  holdTextVendorToContract(name);
});
