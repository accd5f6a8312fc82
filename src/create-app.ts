import { NestFactory } from '@nestjs/core';
import type { DynamicModule, LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

import { AppModule } from './app.module';
import { credentials, securitySchemes } from './money/billing/rails/rail-order';
import { priceRanges } from './models/catalog/price-ranges';
import { configureApp } from './hook-order';
import { PublishedDocuments } from './faces/discovery/published-documents';
import type { Settings } from './settings';
import { createAdapter } from './platform/http/http-app';
import { followRequests } from './platform/http/request-context';
import { buildDocuments } from './faces/discovery/openapi-documents';
import { webhooksDocument } from './notices/webhooks/webhook-document';
import { modelAddress } from './work/chat/stock-client-paths';
import { mediaAddress } from './work/generation/stock-client-paths';
import { ServiceLog, createLog } from './platform/telemetry/log';

/** The code for tracing, which is loaded only if tracing is on. */
const tracingParts = () =>
  module.require('./money/billing/tracing/tracing') as typeof import('./money/billing/tracing/tracing');

/**
 * The options of Nest's application: our own code parses bodies, and a failed start throws an error instead of ending
 * the process.
 */
const OPTIONS = { bodyParser: false, abortOnError: false } as const;

/** The addresses that stock clients call in another way than our documents. */
const CLIENT_ADDRESSES = [modelAddress, mediaAddress];

/** Creates an application from its module. A test passes a function that first overrides providers. */
export type MakeApp = (
  module: DynamicModule,
  adapter: ReturnType<typeof createAdapter>,
  options: typeof OPTIONS & { readonly logger: LoggerService },
) => Promise<NestFastifyApplication>;

/** Creates the whole service, ready to listen. `npm start`, the tests and the tools all use it. */
export const createApp = async (
  settings: Settings,
  make: MakeApp = (module, adapter, options) => NestFactory.create(module, adapter, options),
): Promise<NestFastifyApplication> => {
  const tracing = settings.tracing && tracingParts();
  const log = createLog(settings, credentials(), undefined, tracing?.tracedLine);
  const options = { ...OPTIONS, logger: new ServiceLog(log) };
  const app = await make(AppModule.with(settings), createAdapter(settings, CLIENT_ADDRESSES), options);
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  // This hook must be the first. Traces need the async context in any case.
  if (settings.logRequestIds || settings.tracing) followRequests(instance);
  tracing?.startTracing(instance, settings.tracing!);
  configureApp(app);
  const described = {
    publicUrl: settings.http.publicUrl,
    prices: priceRanges(settings.price),
    schemes: securitySchemes(),
    webhooks: webhooksDocument(),
  };
  const documents = app.get(PublishedDocuments);
  documents.publish(() => buildDocuments(app, described));
  return app;
};
