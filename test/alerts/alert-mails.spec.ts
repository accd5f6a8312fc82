import { AlertMailsProcessor } from '#notices/alerts/alert-mails.processor';
import { AlertsProcessor } from '#notices/alerts/alerts.processor';
import { MAILS_MAX } from '#notices/alerts/alert-mail-limits';
import { Mailer } from '#platform/mail/mailer';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Metrics } from '#platform/telemetry/metrics';
import { readSettings } from '../../src/settings';
import { Browser } from '../support/browser';
import { KeyCaller, WalletCaller } from '../support/caller';
import { CapturedLog } from '../support/captured-log';
import { MailServer } from '../support/mail-server';
import { World } from '../support/world';

describe('alerts by e-mail', () => {
  let world: World;
  let server: MailServer;

  beforeAll(async () => {
    server = await new MailServer().start();
    // A scheduled run could send a mail between two steps of a test.
    world = await World.start({ ...server.env, ROLE: 'api' });
  });
  afterEach(() => world.db.rows('delete from alert_mail'));
  afterAll(async () => {
    await world.stop();
    await server.stop();
  });

  const runAlerts = () => world.app.get(AlertsProcessor, { strict: false }).run();
  const send = () => world.app.get(AlertMailsProcessor, { strict: false }).run();
  const emailOf = async ({ accountId }: KeyCaller) =>
    (await world.db.one<{ email: string }>('select email from account where id = $1', [accountId]))!.email;
  const rowsOf = ({ accountId }: KeyCaller) =>
    world.db.rows<{ id: string; tries: number; seconds: number | null }>(
      `select id, tries, extract(epoch from due_at - now())::float8 as seconds from alert_mail where owner = $1`,
      [accountId],
    );
  const pass = (interval: string) =>
    world.db.rows(
      `update alert_mail set due_at = due_at - $1::interval, created_at = created_at - $1::interval`,
      [interval],
    );
  /** An account with a low balance that has not got a mail yet. */
  const warned = async (more: object = {}) => {
    const caller = await KeyCaller.register(world, 830_000n, more);
    await runAlerts();
    return { caller, email: await emailOf(caller) };
  };

  it('are sent to their account once each, in plain words, with the page that helps', async () => {
    const { caller, email } = await warned();
    await Promise.all([send(), send()]);
    await runAlerts();
    await send();

    const [{ from, to, raw } = { from: '', to: [], raw: '' }, ...more] = server.to(email);
    expect([from, to, more]).toEqual(['alerts@lamppost.test', [email], []]);
    expect(raw).toMatch(/^From: Lamppost <alerts@lamppost\.test>\r$/m);
    expect(raw).toMatch(/^Subject: Lamppost: Your balance is low\r$/m);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(raw.replaceAll(/=\r\n/g, '')).toContain(
      `Your balance is $0.83, which is below $1.00. Top it up:\r\n${world.settings.http.publicUrl}/account/billing\r\n`,
    );
    const [row] = await rowsOf(caller);
    expect(row).toMatchObject({ tries: 1, seconds: null });
    expect(raw).toContain(`Message-ID: <${row!.id}@127.0.0.1>`);
  });

  it('are counted for operators while they wait', async () => {
    await warned();
    await pass('2 hours');
    const metrics = () => world.app.get(Metrics, { strict: false }).text();

    const waiting = await metrics();
    await send();

    expect(waiting).toMatch(/^lamppost_mail_pending 1$/m);
    expect(waiting).toMatch(/^lamppost_mail_oldest_seconds 72\d\d(\.\d+)?$/m);
    expect(await metrics()).toMatch(/^lamppost_mail_pending 0$/m);
  });

  it('of an organisation go to its owners and to who sees to its bills', async () => {
    const ann = await Browser.registered(world);
    const org = await ann.founds();
    const [billing, dev] = [await ann.colleague('billing'), await ann.colleague('developer')];
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(org), micro(830_000n), `test:${org}`);

    await runAlerts();
    await send();

    const [mail, ...more] = server.to(ann.email);
    expect([mail?.to.toSorted(), more]).toEqual([[ann.email, billing.email].toSorted(), []]);
    expect(server.to(dev.email)).toEqual([]);
  });

  it('name keys by their prefix: texts of callers are in no mail, and end no header', async () => {
    const { caller, email } = await warned({ name: 'Win at evil.example', spendLimitMicro: 1_000_000 });
    await world.db.rows(
      `update api_key set name = E'x\\r\\nBcc: victim@example.test', expires_at = now() + interval '1 day',
      created_at = now() - interval '20 days' where id = $1`,
      [caller.keyId],
    );
    await world.db.rows(
      `insert into key_spend (key_id, day, spent_micro, calls) values ($1, (now() at time zone 'utc')::date, 805000, 1)`,
      [caller.keyId],
    );
    await runAlerts();
    await send();

    const mails = server.to(email).map(({ raw }) => raw.replaceAll(/=\r\n/g, ''));
    expect(mails).toHaveLength(3);
    expect(mails.join()).not.toMatch(/evil|victim|Bcc/);
    const prefix = caller.key.slice(0, 11);
    const about = (subject: RegExp) => mails.find((raw) => subject.test(raw));
    const limit = about(/^Subject: Lamppost: A key has spent 80 % of its limit\r$/m);
    expect(limit).toContain('$0.805 of its limit of $1.00 for 30 days');
    for (const raw of [limit, about(/^Subject: Lamppost: A key will expire\r$/m)]) {
      expect(raw).toContain(prefix);
      expect(raw).toContain('/account/keys');
    }
    await world.db.rows('delete from key_spend where key_id = $1', [caller.keyId]);
  });

  it('wait out a server that is down, longer each time, and then arrive once', async () => {
    const { caller, email } = await warned();
    const log = CapturedLog.start();
    await server.stop();
    await send();
    const [first] = await rowsOf(caller);
    await send();
    await pass('10 minutes');
    await send();
    const [second] = await rowsOf(caller);
    await server.start();
    await send();
    expect(server.to(email)).toEqual([]);

    await pass('10 minutes');
    server.busy = 1;
    await send();
    const [third] = await rowsOf(caller);
    await pass('10 minutes');
    await send();
    await send();
    log.release();

    expect([first, second, third].map((row) => [row?.tries, Math.round(row!.seconds! / 60)])).toEqual([
      [1, 1],
      [2, 2],
      [3, 4],
    ]);
    expect(server.to(email)).toHaveLength(1);
    expect(await rowsOf(caller)).toMatchObject([{ tries: 4, seconds: null }]);
    expect(log.warnings.join('\n')).toMatch(/retried later: ESOCKET CONN[^]*retried later: .*451/);
    expect(log.warnings.join('\n')).not.toContain(email);
  });

  it('of a process that died are sent by another one', async () => {
    const { caller, email } = await warned();
    await world.db.rows(
      `update alert_mail set tries = 1, due_at = now() + interval '10 minutes' where owner = $1`,
      [caller.accountId],
    );
    await send();
    expect(server.to(email)).toEqual([]);
    await pass('10 minutes');
    await send();
    expect(server.to(email)).toHaveLength(1);
  });

  it('that the server will not take for an address are over, and hold up no others', async () => {
    const [one, other] = [await KeyCaller.register(world, 1n), await KeyCaller.register(world, 1n)];
    const [bad, good] = [await emailOf(one), await emailOf(other)];
    server.unknown.add(bad);
    const log = CapturedLog.start();
    await runAlerts();
    await send();
    log.release();

    expect([server.to(bad).length, server.to(good).length]).toEqual([0, 1]);
    expect(await rowsOf(one)).toMatchObject([{ tries: 1, seconds: null }]);
    expect(log.warnings.join('\n')).toContain(`refuses the e-mail address of ${one.accountId}`);
    expect(log.warnings.join('\n')).not.toContain(bad);
  });

  it('send their password to no other machine without TLS', async () => {
    const plain = await new MailServer(false).start();
    const { mail, ...others } = readSettings(plain.env);
    const mailer = new Mailer({ ...others, mail: { ...mail!, isLocal: false } });
    const end = await mailer.send({ id: 'evt_1', to: ['a@example.test'], subject: 'x', text: 'x' });
    await plain.stop();

    expect(end).toEqual({ outcome: 'failed', why: 'ETLS STARTTLS 500', isOfMail: false });
    expect([plain.signIns, plain.delivered]).toEqual([0, []]);
  });

  it('go neither to banned accounts nor for wallets', async () => {
    const { caller, email } = await warned();
    const late = await KeyCaller.register(world, 1n);
    const ban = (id: string) => world.db.rows('update account set banned_at = now() where id = $1', [id]);
    await Promise.all([caller, late].map(({ accountId }) => ban(accountId)));
    await new WalletCaller().fund(world, 1n);
    await runAlerts();
    await send();

    expect([server.to(email), server.to(await emailOf(late)), await rowsOf(late)]).toEqual([[], [], []]);
    expect(await rowsOf(caller)).toMatchObject([{ tries: 0 }]);
    expect(await world.db.rows(`select from alert_mail where owner like '0x%'`)).toEqual([]);
  });

  it('are given up after a day, aloud', async () => {
    const { caller, email } = await warned();
    await pass('25 hours');
    const log = CapturedLog.start();
    await send();
    log.release();

    expect([await rowsOf(caller), server.to(email)]).toEqual([[], []]);
    expect(log.warnings.join('\n')).toContain('1 e-mails could not be sent for a day');
  });

  it('do not flood an address, which may be a stranger’s, and the events come all the same', async () => {
    const caller = await KeyCaller.register(world, 5_000_000n, { spendLimitMicro: 1_000_000 });
    const mine = { cookie: caller.cookie, origin: world.settings.http.publicUrl };
    await world.db.rows(
      `insert into key_spend (key_id, day, spent_micro, calls) values ($1, (now() at time zone 'utc')::date, 1000000, 1)`,
      [caller.keyId],
    );
    for (const first of [1, 21, 41]) {
      const keyPercent = Array.from({ length: 10 }, (_, index) => first + index);
      await world.send({ method: 'PUT', url: '/v1/account/alerts', headers: mine, payload: { keyPercent } });
      await runAlerts();
    }
    const reported = await world.db.rows(`select from event where owner = $1 and type = 'key.limit_near'`, [
      caller.accountId,
    ]);

    expect([reported.length, (await rowsOf(caller)).length]).toEqual([30, MAILS_MAX]);
    await world.db.rows('delete from key_spend where key_id = $1', [caller.keyId]);
  });
});
