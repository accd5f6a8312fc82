import { RouteRecords } from '#models/providers/routing/route-records';
import type { World } from './world';

/** Clears the health of all routes, so that the next call tries them in the order of the catalog. */
export const forgetRoutes = (world: World): void =>
  world.app.get(RouteRecords, { strict: false })['health'].clear();
