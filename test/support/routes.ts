import { RouteRecords } from '../../src/providers/routing/route-records';
import type { World } from './world';

/** Forgets how well each route has served, so that the next call asks them in the order of the catalog. */
export const forgetRoutes = (world: World): void =>
  world.app.get(RouteRecords, { strict: false })['health'].clear();
