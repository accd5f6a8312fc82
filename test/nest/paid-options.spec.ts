import { PaidRoute, PaidRoutes } from '#money/billing/calls/paid-routes';
import { CompletionsController } from '#work/chat/completions/completions.controller';
import { ImagesController } from '#work/generation/images.controller';
import { World } from '../support/world';

interface Options {
  readonly operation: { readonly name: string; readonly work?: unknown };
}

describe('the start refuses a paid route', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  /** Collects the routes again, with another operation of one of them. */
  const startWith = (
    { prototype }: { readonly prototype: object },
    method: string,
    operation: (own: Options['operation']) => Options['operation'],
  ): void => {
    const handler = (prototype as Readonly<Record<string, object>>)[method]!;
    const options = Reflect.getMetadata(PaidRoute.KEY, handler) as Options;
    const changed = { ...options, operation: operation(options.operation) };
    Reflect.defineMetadata(PaidRoute.KEY, changed, handler);
    try {
      world.app.get(PaidRoutes, { strict: false }).onModuleInit();
    } finally {
      Reflect.defineMetadata(PaidRoute.KEY, options, handler);
    }
  };

  it('that is charged by usage under another operation', () => {
    expect(() => startWith(CompletionsController, 'complete', (own) => ({ ...own, name: 'notes' }))).toThrow(
      "The operation notes can't be charged by usage: only studio is.",
    );
  });

  it('that answers from a job which nobody looks for after a crash', () => {
    expect(() => startWith(ImagesController, 'generate', (own) => ({ ...own, work: undefined }))).toThrow(
      'The operation media has no work, so the charge of a dead process would be released although its job is done.',
    );
  });
});
