import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

/** The e-mails that wait. */
@Injectable()
export class AlertsMetrics {
  private readonly pending = new Gauge({
    name: 'lamppost_mail_pending',
    help: 'E-mails to accounts that wait for a try, the next one included.',
    registers: [this.registry],
  });
  private readonly oldest = new Gauge({
    name: 'lamppost_mail_oldest_seconds',
    help: 'Age of the oldest waiting e-mail. After a day it is dropped.',
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  backlog(pending: number, oldestSeconds: number): void {
    this.pending.set(pending);
    this.oldest.set(oldestSeconds);
  }
}
