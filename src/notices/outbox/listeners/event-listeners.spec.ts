import { Controller, Injectable, Scope, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Test } from '@nestjs/testing';

import { BackgroundWork } from '#platform/background/background-work';
import { EventListeners } from './event-listeners';
import { OnEvent } from './on-event';

class One {
  @OnEvent({ name: 'sales', types: ['charge.charged'] })
  note(): void {}
}

class Two {
  @OnEvent({ name: 'sales', types: ['charge.refunded'] })
  note(): void {}
}

@Injectable({ scope: Scope.REQUEST })
class OfEachRequest {
  @OnEvent({ name: 'sales', types: ['charge.charged'] })
  note(): void {}
}

@Controller('sales')
class SalesController {
  @OnEvent({ name: 'sales', types: ['charge.charged'] })
  note(): void {}
}

class OfNothing {
  @OnEvent({ name: 'sales', types: [] })
  note(): void {}
}

describe('the listeners of events', () => {
  const startOf = async (providers: Type[], controllers: Type[] = []): Promise<unknown> => {
    const nothing = {} as never;
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      controllers,
      providers: [
        ...providers,
        {
          provide: EventListeners,
          inject: [DiscoveryService, MetadataScanner],
          useFactory: (discovery: DiscoveryService, scanner: MetadataScanner) =>
            new EventListeners(discovery, scanner, nothing, nothing, nothing, nothing, nothing),
        },
      ],
    }).compile();
    return module.init();
  };

  it.each<[string, Type[], Type[]]>([
    ['Two listeners are named "sales". Rename one of them.', [One, Two], []],
    ['OfEachRequest.note would get no event: a provider of each request', [OfEachRequest], []],
    [
      'SalesController.note would get no event: @OnEvent is for a method of a provider',
      [],
      [SalesController],
    ],
    ['OfNothing.note would get no event: its list of types is empty.', [OfNothing], []],
  ])('are refused at the start: %s', async (why, providers, controllers) => {
    await expect(startOf(providers, controllers)).rejects.toThrow(why);
  });

  it('stop within five seconds, even if a listener takes longer', async () => {
    jest.useFakeTimers();
    const log = { bounds: () => new Promise(() => undefined), onPlaced: () => () => undefined };
    const rows = {
      add: () => Promise.resolve(),
      claim: () => Promise.resolve({ position: 1n, written: 1n, id: '' }),
      due: () => Promise.resolve([]),
    };
    const scanner = { getAllMethodNames: () => ['note'] };
    const discovery = {
      getControllers: () => [],
      getProviders: () => [{ instance: new One(), metatype: One, isDependencyTreeStatic: () => true }],
      getMetadataByDecorator: () => ({ name: 'sales', types: ['charge.charged'] }),
    };
    const listeners = new EventListeners(
      discovery as never,
      scanner as never,
      log as never,
      rows as never,
      {} as never,
      new BackgroundWork(),
      { role: 'all' } as never,
    );
    listeners.onModuleInit();
    await listeners.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(100);

    const stopped = listeners.beforeApplicationShutdown().then(() => 'stopped');
    await jest.advanceTimersByTimeAsync(5_000);

    await expect(Promise.race([stopped, Promise.resolve('running')])).resolves.toBe('stopped');
    jest.useRealTimers();
  });
});
