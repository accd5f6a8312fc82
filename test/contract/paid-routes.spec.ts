import { World } from '../support/world';
import { paidRoutes } from '../support/paid-routes';
import { COUNTED, holdRouteToContract, letHandlersFail } from './route-contract';

describe('every paid route', () => {
  let world: World;

  beforeAll(async () => {
    letHandlersFail();
    world = await World.start(COUNTED);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  /** Routes for forms with files have their own specification. */
  const ofAFixedPrice = [...paidRoutes()].filter(
    ([, { options }]) => options.answer !== 'by-use' && options.form !== 'file',
  );

  describe.each(ofAFixedPrice.map(([path]) => path))('POST %s', (path) => {
    holdRouteToContract(path, () => world);
  });
});
