import { paidRoutes } from '../support/paid-routes';
import { holdRouteToContract, routeStages } from './route-contract';
import { type StartedParties, routeFixtureOf } from './route-fixtures';

describe('every paid route', () => {
  /** Routes for forms with files have their own specification. */
  const paths = [...paidRoutes()].flatMap(([path, { options }]) =>
    options.answer === 'by-use' || options.form === 'file' ? [] : [path],
  );
  const needsMore = (path: string): boolean => routeFixtureOf(path)?.start !== undefined;

  describe('POST', () => {
    const stageOf = routeStages();

    describe.each(paths.filter((path) => !needsMore(path)))('%s', (path) => {
      holdRouteToContract(path, stageOf);
    });
  });

  // `describe.each` takes no empty list, and none of our own routes needs more.
  for (const path of paths.filter(needsMore))
    describe(`POST ${path}`, () => {
      let started: StartedParties;
      const stageOf = routeStages(async () => {
        started = await routeFixtureOf(path)!.start!();
        return started.settings;
      });
      afterAll(() => started.stop?.());

      holdRouteToContract(path, stageOf);
    });
});
