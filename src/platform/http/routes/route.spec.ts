import { HttpRoute, routeOptionsAt } from './route';

describe('two decorators that set options of one route', () => {
  const rule = { limit: 'challenge', provesCaller: true, facts: { owner: { scope: 'read' } } } as const;
  const more = { bodyBytesMax: 9, facts: { session: { needsProof: true } } };

  class Routes {
    @HttpRoute(more)
    @HttpRoute(rule)
    above(): void {}

    @HttpRoute(rule)
    @HttpRoute(more)
    below(): void {}

    @HttpRoute({ limit: undefined, provesCaller: false })
    @HttpRoute(rule)
    other(): void {}
  }

  const optionsOf = (name: keyof Routes): unknown => routeOptionsAt(Routes.prototype[name]);

  it.each(['above', 'below'] as const)('keep the rule of the route: %s', (name) => {
    expect(optionsOf(name)).toEqual({
      limit: 'challenge',
      provesCaller: true,
      bodyBytesMax: 9,
      facts: { owner: { scope: 'read' }, session: { needsProof: true } },
    });
  });

  it('replace single options in their order, and an absent option replaces none', () => {
    expect(optionsOf('other')).toEqual({ ...rule, provesCaller: false });
  });
});
