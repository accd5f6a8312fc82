import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Test } from '@nestjs/testing';

import { BackgroundWork } from '../../platform/background/background-work';
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

describe('the listeners of events', () => {
  it('stop the start if two of them have one name', async () => {
    const nothing = {} as never;
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      providers: [
        One,
        Two,
        {
          provide: EventListeners,
          inject: [DiscoveryService, MetadataScanner],
          useFactory: (discovery: DiscoveryService, scanner: MetadataScanner) =>
            new EventListeners(discovery, scanner, nothing, nothing, nothing, nothing, nothing),
        },
      ],
    }).compile();

    await expect(module.init()).rejects.toThrow('Two listeners are named "sales". Rename one of them.');
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
      getProviders: () => [{ instance: new One(), isDependencyTreeStatic: () => true }],
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
