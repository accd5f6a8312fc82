import type { MediaVendor } from '../../contract/media-vendors';
import { FakeAcme } from './fake-acme';

/** Acme in the contract of all vendors of media. */
export const FIXTURE: MediaVendor<FakeAcme> = {
  start: () => FakeAcme.start(),
  models: { t2i: 'painter', i2i: 'upscaler' },
  seconds: [],
  state: 'state',
  says: (fake, word) => {
    fake.ending = word;
  },
  bill: { operation: 'status', field: 'cost_usd', micro: 10_000n },
};
