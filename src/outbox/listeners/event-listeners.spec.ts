import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Test } from '@nestjs/testing';

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
});
