import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import type { FastifyInstance } from 'fastify';
import { Redis } from 'ioredis';

import { SETTINGS, type Settings } from '../config/settings';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { Drain } from './drain';
import { MemoryRateStorage } from './memory-rate-storage';
import { RateLimits } from './rate-limits';
import { SafeFetch } from './safe-fetch';
import { RequestLog } from './request-log';
import { wishesOf } from './route';

/** Header names that carry a credential; a call without any of them is, on a paid route, a challenge. */
const CREDENTIALS = [
  'payment-signature',
  'x-payment',
  'x-402-payment',
  'x-api-key',
  'authorization',
  'sign-in-with-x',
  'x-sign-in-with-x',
  'cookie',
];

/** Counts calls by address before their bodies are read, so that a flood costs as little as it can. */
@Injectable()
class AddressLimits implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limits: RateLimits,
  ) {}

  onModuleInit(): void {
    const instance = this.host.httpAdapter?.getInstance() as FastifyInstance | undefined;
    instance?.addHook('onRequest', async (request, reply) => {
      const { limit = 'free', paid = false } = wishesOf(request.routeOptions.config);
      if (limit === 'none' || !request.url.startsWith('/v1/')) {
        return;
      }
      const credentialed = CREDENTIALS.some((name) => request.headers[name] !== undefined);
      if (paid && credentialed) {
        return; // Counted by payer, once it is proven who pays.
      }
      const headers = await this.limits.count(paid ? 'challenge' : limit, request.ip);
      for (const name in headers) reply.raw.setHeader(name, headers[name] as string);
    });
  }
}

@Module({
  imports: [
    TelemetryModule,
    ThrottlerModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: Settings) => ({
        throttlers: [],
        storage:
          settings.redisUrl === undefined
            ? new MemoryRateStorage()
            : new ThrottlerStorageRedisService(new Redis(settings.redisUrl, { maxRetriesPerRequest: 1 })),
      }),
    }),
  ],
  providers: [AddressLimits, Drain, RateLimits, RequestLog, SafeFetch],
  exports: [Drain, RateLimits, SafeFetch],
})
export class HttpModule {}
