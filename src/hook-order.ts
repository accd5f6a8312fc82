import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

import { requireScopes } from './faces/admin/operator-scope';
import { AccountRoutes } from './people/accounts/routes/account-routes';
import { CREDENTIAL_HEADERS } from './money/billing/rails/rails';
import { Sanctions } from './people/identity/sanctions';
import type { Settings } from './settings';
import { addHeaders } from './platform/http/answers/common-headers';
import { RequestLog } from './platform/http/answers/request-log';
import { BodyReader } from './platform/http/body/body-reader';
import { FileForms } from './platform/http/body/file-form';
import { Drain } from './platform/http/drain';
import { refuseHungUp, refuseOddHttp, refuseOtherCharsets } from './platform/http/odd-requests';
import type { FirstHook } from './platform/http/first-hook';
import { ignoreExpectations, parseBodies } from './platform/http/http-app';
import { AddressLimits } from './platform/http/limits/address-limits';
import { warnOfUntrustedProxy } from './platform/http/limits/untrusted-proxy';
import { ThrottledRoutes } from './platform/http/limits/throttled-routes';
import { DeprecatedRoutes } from './platform/http/routes/deprecated-routes';
import { KnownRoutes } from './platform/http/routes/known-routes';
import { RateLimits } from './platform/http/limits/rate-limits';
import { Uploads } from './platform/media/uploads';
import { ProcessMetrics } from './platform/telemetry/process-metrics';
import { CallNotes } from './notices/requests/call-notes';
import { SETTINGS } from './platform/config/settings';

/**
 * Prepares an application before its routes are registered. It adds hooks that run before and after Nest, in the order
 * of this file. Nest does the rest of a request: guards, interceptors, pipes and filters.
 */
export const configureApp = (app: NestFastifyApplication): NestFastifyApplication => {
  const settings = app.get<Settings>(SETTINGS);
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const [limits, sanctions, uploads] = [app.get(AddressLimits), app.get(Sanctions), app.get(Uploads)];
  const [drain, log, metrics] = [app.get(Drain), app.get(RequestLog), app.get(ProcessMetrics)];
  const [reader, forms, notes] = [app.get(BodyReader), app.get(FileForms), app.get(CallNotes)];
  app.get(KnownRoutes).watch(instance);
  app.get(RateLimits).watch(instance);
  app.get(AccountRoutes).watch(instance);
  requireScopes(instance);
  app.get(ThrottledRoutes).read();
  const deprecated = app.get(DeprecatedRoutes);
  deprecated.read();
  ignoreExpectations(instance);

  // Runs before the body is read, so a refusal here costs almost nothing.
  const first = (hook: FirstHook): unknown => instance.addHook('onRequest', asHook(hook));
  first(addHeaders(settings));
  first(warnOfUntrustedProxy());
  first((request, reply) => deprecated.announceRoute(request, reply));
  first(refuseHungUp);
  first((request) => limits.countCall(request));
  first(refuseOddHttp(app.get<readonly string[]>(CREDENTIAL_HEADERS)));
  first((request) => sanctions.refuseRegion(request));
  first((request, reply) => limits.countRoute(request, reply));

  parseBodies(instance, reader, forms);
  instance.addHook('preParsing', (request, reply, payload, done) => {
    try {
      refuseOtherCharsets(request);
      done(null, uploads.extract(request, reply, payload));
    } catch (error) {
      done(error as Error);
    }
  });

  instance.addHook('preHandler', (request, reply, done) => {
    deprecated.announceFields(request, reply);
    done();
  });
  instance.addHook('onSend', (_request, reply, _payload, done) => {
    drain.closeConnection(reply);
    done();
  });
  instance.addHook('onResponse', (request, reply, done) => {
    reader.release(request);
    forms.release(request);
    log.write(request, reply);
    notes.note(request, reply);
    metrics.countRequest(request, reply);
    done();
  });
  return app;
};

/** Makes a Fastify hook that awaits only if necessary. If the hook answers a request, no further hook runs. */
const asHook =
  (hook: FirstHook) =>
  (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const proceed = (): void => {
      if (!reply.sent) done();
    };
    try {
      const result = hook(request, reply);
      if (result instanceof Promise) result.then(proceed, done);
      else proceed();
    } catch (error) {
      done(error as Error);
    }
  };
