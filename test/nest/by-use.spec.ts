import { PaidRoutes } from '#money/billing/calls/paid-routes';
import { CompletionsController } from '#work/chat/completions/completions.controller';
import { PaidRoute } from '#money/billing/calls/paid-routes';
import { World } from '../support/world';

it('a route that is charged by use under another operation ends the start', async () => {
  const world = await World.start();
  const handler = (CompletionsController.prototype as unknown as Record<string, object>)['complete']!;
  const options = Reflect.getMetadata(PaidRoute.KEY, handler) as { operation: { name: string } };
  const routes = world.app.get(PaidRoutes, { strict: false });
  Reflect.defineMetadata(
    PaidRoute.KEY,
    { ...options, operation: { ...options.operation, name: 'notes' } },
    handler,
  );

  expect(() => routes.onModuleInit()).toThrow("The operation notes can't be charged by use: only studio is.");

  Reflect.defineMetadata(PaidRoute.KEY, options, handler);
  await world.stop();
});
