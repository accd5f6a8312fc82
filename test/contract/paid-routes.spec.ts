import { paidRoutes } from '../support/paid-routes';
import { holdRouteToContract, routeStages } from './route-contract';

describe('every paid route', () => {
  const stageOf = routeStages();

  /** Routes for forms with files have their own specification. */
  const ofAFixedPrice = [...paidRoutes()].filter(
    ([, { options }]) => options.answer !== 'by-use' && options.form !== 'file',
  );

  describe.each(ofAFixedPrice.map(([path]) => path))('POST %s', (path) => {
    holdRouteToContract(path, stageOf);
  });
});
