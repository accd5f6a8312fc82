import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { FastifyInstance, InjectOptions } from 'fastify';

import { type MakeApp, createApp } from '../../src/create-app';
import { type Settings, readSettings } from '../../src/settings';
import { PublishedDocuments } from '#faces/discovery/published-documents';
import { Database } from '#platform/database/database';
import { addressOf } from '#platform/http/routes/route';
import { expectBooksToBalance } from './books';
import { DocumentCheck, problemsWithError } from './document-check';
import { cloneDatabase } from './postgres';

/**
 * Limits are off in tests that do not test them, so that no test waits for the end of a minute. A start opens all
 * connections, and few tests need more than these.
 */
const QUIET = {
  DATABASE_CONNECTIONS: '6',
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef',
  PUBLIC_URL: 'http://127.0.0.1:3999',
  ADMIN_TOKEN: 'an-admin-token-for-tests',
  RATE_LIMIT_ADDRESS: '0',
  RATE_LIMIT_MEDIA: '0',
  RATE_LIMIT_CHAT: '0',
  RATE_LIMIT_TEXT: '0',
  RATE_LIMIT_CHALLENGE: '0',
  RATE_LIMIT_FREE: '0',
  RATE_LIMIT_REFERENCES: '0',
  RATE_LIMIT_TOP_UP: '0',
  RATE_LIMIT_SIGN_IN: '0',
  RATE_LIMIT_WEBHOOK_TESTS: '0',
} as const;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // Answers are parsed JSON, so they may be of any type.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** Compares every answer with the documents. It must be called before the routes are registered. */
const holdToDocuments = (app: NestFastifyApplication): string[] => {
  const untrue: string[] = [];
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const routes: string[] = [];
  instance.addHook('onRoute', ({ method, url }) => {
    routes.push(`${String(method)} ${url}`);
  });
  let known: DocumentCheck | undefined;
  const documents = (): readonly OpenAPIObject[] => {
    const { agent, account, extensions } = app.get(PublishedDocuments);
    return [agent, account, extensions].map((text) => JSON.parse(text) as OpenAPIObject);
  };
  instance.addHook('onSend', (request, reply, payload, done) => {
    const headers = reply.getHeaders();
    // Only the documents are compressed; the check reads them in another way.
    const isPlain = headers['content-encoding'] === undefined;
    const isJson = isPlain && String(headers['content-type']).startsWith('application/json');
    const text =
      typeof payload === 'string' || (isJson && Buffer.isBuffer(payload)) ? String(payload) : undefined;
    const sent = {
      method: request.method,
      route: addressOf(request),
      status: reply.statusCode,
      headers,
      body: isJson && text !== undefined && text !== '' ? (JSON.parse(text) as unknown) : text,
    };
    known ??= DocumentCheck.of(routes.join('\n'), documents);
    untrue.push(...known.problemsWith(sent), ...problemsWithError(sent));
    done(null, payload);
  });
  return untrue;
};

const overridden =
  (override: (builder: TestingModuleBuilder) => TestingModuleBuilder): MakeApp =>
  async (module, adapter, options) => {
    const builder = override(Test.createTestingModule({ imports: [module] })).setLogger(options.logger);
    return (await builder.compile()).createNestApplication<NestFastifyApplication>(adapter, options);
  };

/** The whole service on its own database, with the settings of a test. */
export class World {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly settings: Settings,
    readonly db: Database,
    /** The differences between documents and answers. They fail the test that gets one, or the last test. */
    private readonly untrue: string[],
  ) {}

  /**
   * `override` replaces providers before the application is created: `(builder) =>
   * builder.overrideProvider(Mailer).useValue(fake)`.
   */
  static async start(
    env: Readonly<Record<string, string>> = {},
    override?: (builder: TestingModuleBuilder) => TestingModuleBuilder,
  ): Promise<World> {
    const settings = readSettings({
      ...QUIET,
      DATABASE_URL: env['DATABASE_URL'] ?? (await cloneDatabase()),
      ...env,
    });
    const app = await createApp(settings, override && overridden(override));
    const untrue = holdToDocuments(app);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return new World(app, settings, app.get(Database, { strict: false }), untrue);
  }

  /** Listens on a free port, for clients that need a real address. */
  async listen(at = 0): Promise<string> {
    await this.app.listen(at, '127.0.0.1');
    const { port } = this.app.getHttpServer().address() as { port: number };
    return `http://127.0.0.1:${port}`;
  }

  async send(options: InjectOptions): Promise<Answer> {
    const response = await this.app.inject(options);
    this.expectTrueDocuments();
    const type = String(response.headers['content-type'] ?? '');
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      body:
        type.includes('json') && response.payload !== '' ? JSON.parse(response.payload) : response.payload,
    };
  }

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send({ method: 'GET', url, headers });
  }

  post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  expectBooksToBalance(): Promise<void> {
    return expectBooksToBalance(this.db);
  }

  async stop(): Promise<void> {
    await this.app.close();
    this.expectTrueDocuments();
  }

  private expectTrueDocuments(): void {
    const [first] = this.untrue.splice(0);
    if (first !== undefined) throw new Error(`The OpenAPI document is not true: ${first}`);
  }
}
