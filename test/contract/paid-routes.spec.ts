import { World } from '../support/world';
import { paidRoutes } from '../../src/billing/calls/paid-route';
import { COUNTED, holdRouteToContract, letHandlersFail } from './route-contract';

describe('every paid route', () => {
  let world: World;

  beforeAll(async () => {
    letHandlersFail();
    world = await World.start(COUNTED);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  describe.each([...paidRoutes().keys()])('POST %s', (path) => {
    holdRouteToContract(path, () => world);
  });
});
