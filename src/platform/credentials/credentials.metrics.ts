import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** Results with and without a signed manifest. */
@Injectable()
export class CredentialsMetrics {
  private readonly credentials = new Counter({
    name: 'lamppost_content_credentials_total',
    help: 'Results by whether they carry a signed manifest. The log says why one does not.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  made(outcome: 'signed' | 'unsigned'): void {
    this.credentials.inc({ outcome });
  }
}
