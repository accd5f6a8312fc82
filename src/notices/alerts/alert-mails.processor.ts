import { Inject, Injectable } from '@nestjs/common';

import { type MailEnd, Mailer } from '#platform/mail/mailer';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { mailText } from './alert-mail-text';
import { AlertMailRepository, OLD_MAILS, type TakenMail } from './alert-mail.repository';
import { SweepRows } from '#platform/queue/sweep-rows.repository';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** The number of concurrent mails. Each has its own connection. */
const AT_ONCE = 5;

/**
 * Sends the mails of alerts. Each due mail has a row, so no mail is lost if a process dies or the mail server is
 * unavailable.
 */
@Injectable()
export class AlertMailsProcessor extends ScheduledProcessor {
  readonly name = 'alert-mails';
  readonly everyMs = 15_000;

  constructor(
    private readonly mails: AlertMailRepository,
    private readonly mailer: Mailer,
    private readonly rows: SweepRows,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {
    super();
  }

  async run(): Promise<void> {
    if (!this.mailer.isOn) return;
    let lost = 0;
    await this.rows.run<{ lost: boolean }>(OLD_MAILS, [], (old) => {
      lost += old.filter((mail) => mail.lost).length;
    });
    if (lost > 0) this.logger.warn(`${lost} e-mails could not be sent for a day; they are dropped.`);
    while (await this.sendSome());
  }

  /**
   * Returns whether there may be more mails to send. After a failure that is not about
   * these mails, the other mails wait for the next
   * run.
   */
  private async sendSome(): Promise<boolean> {
    const due = await this.mails.take(AT_ONCE);
    const ends = await Promise.all(due.map((mail) => this.send(mail)));
    const failed = ends.flatMap((end) => (end.outcome === 'failed' ? end.why : []));
    if (failed.length > 0)
      this.logger.warn(`${failed.length} e-mails will be retried later: ${[...new Set(failed)].join(', ')}.`);
    return ends.some((end) => end.outcome !== 'failed' || end.isOfMail);
  }

  private async send(mail: TakenMail): Promise<MailEnd> {
    const { id, owner, to } = mail;
    const end = await this.mailer.send({ id, to, ...mailText(mail, this.settings.http.publicUrl) });
    if (end.outcome === 'refused')
      this.logger.warn(`The mail server refuses the e-mail address of ${owner}.`);
    await (end.outcome === 'failed' ? this.mails.putOff(id) : this.mails.end(id));
    return end;
  }
}
