import { Get, SetMetadata } from '@nestjs/common';
import { MetadataScanner, Reflector } from '@nestjs/core';
import { SkipThrottle, Throttle } from '@nestjs/throttler';

import { ThrottledRoutes } from './throttled-routes';

type Limits = Parameters<typeof Throttle>[0];

const read = (decorator: MethodDecorator & ClassDecorator): void => {
  class Routes {
    @Get()
    @decorator
    list(): void {}
  }
  const discovery = { getControllers: () => [{ metatype: Routes }] };
  new ThrottledRoutes(discovery as never, new MetadataScanner(), new Reflector()).read();
};

describe('a limit that would have no effect', () => {
  const limit = { limit: 1, ttl: 1_000 };

  it.each<[string, Limits]>([
    ['there is no limiter "adress"', { adress: limit }],
    ['is a number and not a function', { address: { ...limit, limit: () => 1 } }],
    ['is a number and not a function', { default: { ...limit, ttl: () => 1 } }],
    ['and not blockDuration', { default: { ...limit, blockDuration: 5 } }],
    ['and not getTracker', { payer: { ...limit, getTracker: () => 'one' } }],
    ['and not generateKey', { address: { ...limit, generateKey: () => 'one' } }],
    ['and both are needed', { address: { limit: 1 } }],
    ['and both are needed', { payer: { ttl: 1_000 } }],
    ['are whole numbers above 0', { default: { ...limit, limit: Number.NaN } }],
    ['are whole numbers above 0', { address: { ...limit, limit: '5' as never } }],
    ['are whole numbers above 0', { payer: { ...limit, ttl: 0 } }],
  ])('%s', (why, limits) => {
    expect(() => read(Throttle(limits))).toThrow(`The limit of Routes.list has no effect: `);
    expect(() => read(Throttle(limits))).toThrow(why);
  });

  it('names a limiter to skip that does not exist', () => {
    expect(() => read(SkipThrottle({ payr: true }))).toThrow('there is no limiter "payr"');
  });

  it('names an option that a later version of the package may have', () => {
    expect(() => read(SetMetadata('THROTTLER:STORAGEdefault', {}))).toThrow('"THROTTLER:STORAGEdefault"');
  });

  it('takes the missing part from the controller', () => {
    @Throttle({ default: limit })
    class Routes {
      @Get()
      @Throttle({ default: { limit: 5 } })
      list(): void {}
    }
    const discovery = { getControllers: () => [{ metatype: Routes }] };
    const routes = new ThrottledRoutes(discovery as never, new MetadataScanner(), new Reflector());

    expect(() => routes.read()).not.toThrow();
  });

  it('lets all others start', () => {
    expect(() => read(Throttle({ default: limit }))).not.toThrow();
    expect(() => read(Throttle({ address: limit, payer: { ...limit, limit: () => 1 } }))).not.toThrow();
    expect(() => read(SkipThrottle())).not.toThrow();
    expect(() => read(SkipThrottle({ payer: true, address: true }))).not.toThrow();
  });
});
