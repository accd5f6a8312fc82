import './acme/in-the-list';

import { holdMediaVendorToContract } from '../contract/media-vendor-contract';
import { catalogOf, pictureEntry } from '../support/catalogs';
import { World } from '../support/world';
import { FakeAcme } from './acme/fake-acme';

describe('a vendor of media that is one folder and one line', () => {
  let fake: FakeAcme;
  let world: World;

  beforeAll(async () => {
    fake = await FakeAcme.start();
    world = await World.start({
      ...fake.env,
      ...catalogOf([pictureEntry('square', ['acme:painter'])], []),
      ALLOW_SANDBOX_MIX: 'true',
    });
  });
  afterAll(async () => {
    await world.stop();
    await fake.stop();
  });

  describe('keeps the contract of all vendors:', () => {
    holdMediaVendorToContract(
      'acme',
      () => world,
      () => fake,
    );
  });
});
