import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions } from 'fastify';

import { createApp } from '../../src/create-app';
import { type Settings, readSettings } from '../../src/platform/config/settings';
import { Database } from '../../src/platform/database/database';
import { expectBooksToBalance } from './books';
import { cloneDatabase } from './postgres';

/** Limits are off where they are not the point, so that no test waits for a minute to pass. */
const QUIET = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef',
  PUBLIC_URL: 'http://127.0.0.1:3999',
  ADMIN_TOKEN: 'an-admin-token-for-tests',
  RATE_LIMIT_MEDIA: '0',
  RATE_LIMIT_CHAT: '0',
  RATE_LIMIT_CHALLENGE: '0',
  RATE_LIMIT_FREE: '0',
  RATE_LIMIT_REFERENCES: '0',
  RATE_LIMIT_TOP_UP: '0',
  RATE_LIMIT_SIGN_IN: '0',
} as const;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // Answers are read as the caller reads them: whatever JSON says.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** The whole service on a database of its own, with whatever settings a test wants. */
export class World {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly settings: Settings,
    readonly db: Database,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<World> {
    const settings = readSettings({
      ...QUIET,
      DATABASE_URL: env['DATABASE_URL'] ?? (await cloneDatabase()),
      ...env,
    });
    const app = await createApp(settings);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return new World(app, settings, app.get(Database, { strict: false }));
  }

  /** Listens on a port of its own, for clients that want a real address. */
  async listen(at = 0): Promise<string> {
    await this.app.listen(at, '127.0.0.1');
    const { port } = this.app.getHttpServer().address() as { port: number };
    return `http://127.0.0.1:${port}`;
  }

  async send(options: InjectOptions): Promise<Answer> {
    const response = await this.app.inject(options);
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
  }
}
