import { Test } from '@nestjs/testing';

import { AppModule } from '../../src/app.module';
import { Catalog } from '#models/catalog/catalog';
import { KeysService } from '#people/keys/keys.service';
import { Mailer } from '#platform/mail/mailer';
import { readSettings } from '../../src/settings';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';
import { SETTINGS } from '#platform/config/settings';

/** A mailer that keeps its mails. */
class KeptMails {
  readonly isOn = true;
  readonly sent: unknown[] = [];

  send(mail: unknown): Promise<{ outcome: 'sent' }> {
    this.sent.push(mail);
    return Promise.resolve({ outcome: 'sent' });
  }
}

describe('a module test', () => {
  it('imports the bare AppModule and overrides providers', async () => {
    const mails = new KeptMails();
    const settings = readSettings({
      NODE_ENV: 'test',
      ROLE: 'api',
      DATABASE_URL: await cloneDatabase(),
      SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef',
    });

    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(SETTINGS)
      .useValue(settings)
      .overrideProvider(Mailer)
      .useValue(mails)
      .compile();
    await module.init();

    expect(module.get(Mailer, { strict: false })).toBe(mails);
    expect(module.get(Catalog, { strict: false })).toBeInstanceOf(Catalog);
    expect(module.get(KeysService, { strict: false })).toBeInstanceOf(KeysService);
    await module.close();
  });

  it('overrides providers of a world that answers calls', async () => {
    const mails = new KeptMails();
    const world = await World.start(
      { SMTP_URL: 'smtp://127.0.0.1:1', SMTP_FROM: 'a@example.com' },
      (builder) => builder.overrideProvider(Mailer).useValue(mails),
    );

    const { status } = await world.get('/v1/agent/models');

    expect([status, world.app.get(Mailer, { strict: false })]).toEqual([200, mails]);
    await world.expectBooksToBalance();
    await world.stop();
  });
});
