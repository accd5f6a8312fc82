import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { callerOf } from '#platform/http/limits/caller-address';
import { AuditRepository } from './audit.repository';
import { doneBy } from './operators';

const HOUR_MS = 3_600_000;
/**
 * The most addresses that the audit records in an hour. Audit entries are never deleted, so attackers must not be able
 * to add very many.
 */
const NAMED_MAX = 50;

/** Records wrong operator tokens in the audit, at most once an hour for each address. */
@Injectable()
export class RefusedOperators {
  private readonly logger = new Logger(RefusedOperators.name);
  private readonly named = new Set<string>();
  private endsAt = 0;

  constructor(private readonly audit: AuditRepository) {}

  async note(request: FastifyRequest): Promise<void> {
    const caller = callerOf(request);
    const reason = this.reasonFor(caller);
    if (reason === undefined) return;
    try {
      await this.audit.add({
        action: 'refused',
        accountId: '',
        reason,
        ...doneBy(request),
        ip: request.ip.slice(0, 60),
      });
    } catch (error) {
      this.logger.error({ err: error }, 'A refused operator could not be recorded in the audit.');
    }
  }

  private reasonFor(caller: string): string | undefined {
    const now = Date.now();
    if (now >= this.endsAt) {
      this.named.clear();
      this.endsAt = now + HOUR_MS;
    }
    if (this.named.has(caller) || this.named.size > NAMED_MAX) return undefined;
    this.named.add(caller);
    return this.named.size > NAMED_MAX
      ? `Wrong tokens come from more than ${NAMED_MAX} addresses. Further ones are not recorded this hour.`
      : 'A wrong token. For an hour, further wrong tokens from this address are not recorded.';
  }
}
