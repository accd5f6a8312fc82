import { World } from '../support/world';
import { holdMediaVendorToContract, mediaVendors } from './media-vendor-contract';
import { type FakeMediaVendor, mediaVendorOf } from './media-vendors';

describe('the contract of the vendor', () => {
  const fakes: Record<string, FakeMediaVendor> = {};
  let world: World;

  beforeAll(async () => {
    for (const name of mediaVendors()) fakes[name] = await mediaVendorOf(name).start();
    const env = Object.values(fakes).map((fake) => fake.env);
    world = await World.start({ ...Object.assign({}, ...env), ALLOW_SANDBOX_MIX: 'true' });
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all(Object.values(fakes).map((fake) => fake.stop()));
  });

  describe.each(mediaVendors())('%s', (name) => {
    holdMediaVendorToContract(
      name,
      () => world,
      (of) => fakes[of]!,
    );
  });
});
