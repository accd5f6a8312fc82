import { paidRoutes } from '../support/paid-routes';
import { holdMeasuredRouteToContract } from './measured-route-contract';
import { routeStages } from './route-contract';

describe('every paid route whose price is measured', () => {
  const stageOf = routeStages();
  const measured = [...paidRoutes()].filter(
    ([, { options }]) => options.answer === 'by-use' || options.form === 'file',
  );

  describe.each(measured.map(([path]) => path))('POST %s', (path) => {
    holdMeasuredRouteToContract(path, stageOf);
  });
});
