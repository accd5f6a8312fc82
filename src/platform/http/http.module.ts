import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import type { FastifyInstance } from 'fastify';

import { SETTINGS, type Settings } from '../config/settings';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { CredentialGuesses } from './credential-guesses';
import { carriesCredential } from './credentials';
import { Drain } from './drain';
import { MemoryRateStorage } from './memory-rate-storage';
import { RateLimits } from './rate-limits';
import { SafeFetch } from './safe-fetch';
import { RequestLog } from './request-log';
import { addressOf, wishesOf } from './route';
import { SharedRateStorage } from './shared-rate-storage';

/** Counts calls by address before their bodies are read, so that a flood costs as little as it can. */
@Injectable()
class AddressLimits implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limits: RateLimits,
    private readonly guesses: CredentialGuesses,
  ) {}

  onModuleInit(): void {
    const instance = this.host.httpAdapter?.getInstance() as FastifyInstance | undefined;
    instance?.addHook('onRequest', (request, reply, done) => {
      const { limit = 'free', paid = false } = wishesOf(request.routeOptions.config);
      if (limit === 'none' || !addressOf(request).startsWith('/v1/')) {
        done();
        return;
      }
      if (paid && carriesCredential(request)) {
        done(this.guesses.refusal(request.ip)); // Else counted by payer, once it is proven who pays.
        return;
      }
      this.limits.count(paid ? 'challenge' : limit, request.ip).then((headers) => {
        void reply.headers(headers);
        // eslint-disable-next-line promise/no-callback-in-promise
        done();
      }, done);
    });
    instance?.addHook('onResponse', (request, reply, done) => {
      const { paid = false } = wishesOf(request.routeOptions.config);
      if (paid && (reply.statusCode === 401 || reply.statusCode === 402) && carriesCredential(request)) {
        void this.guesses.count(request.ip);
      }
      done();
    });
  }
}

@Module({
  imports: [
    TelemetryModule,
    ThrottlerModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: async (settings: Settings) => ({
        throttlers: [],
        storage:
          settings.redisUrl === undefined
            ? new MemoryRateStorage()
            : await SharedRateStorage.connect(settings.redisUrl),
      }),
    }),
  ],
  providers: [AddressLimits, CredentialGuesses, Drain, RateLimits, RequestLog, SafeFetch],
  exports: [Drain, RateLimits, SafeFetch],
})
export class HttpModule {}
