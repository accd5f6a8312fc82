import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
  applyDecorators,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Observable, mergeMap } from 'rxjs';

import { actingOn } from '../acting-person';
import { OrganisationAudit } from './audit.repository';
import type { AuditAction, AuditFacts } from './audit-action';

const AUDITED = 'audited';
const DETAIL_CHARS_MAX = 500;

/** A call and its answer. The description of the action is made from them. */
interface Done {
  readonly params: Readonly<Record<string, string>>;
  readonly body: never;
  readonly answer: never;
  /** The member who acted. */
  readonly personId: string;
}

export interface AuditRule {
  readonly action: AuditAction;
  readonly factsOf: (done: Done) => AuditFacts;
}

/** Records an action of a session before its answer is sent, so a caller with the answer finds it in the audit. */
@Injectable()
class AuditedInterceptor implements NestInterceptor {
  constructor(
    private readonly audit: OrganisationAudit,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        await this.note(context, answer);
        return answer;
      }),
    );
  }

  private async note(context: ExecutionContext, answer: unknown): Promise<void> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const acting = actingOn(request);
    if (acting === undefined) return;
    const rule = this.reflector.get<AuditRule>(AUDITED, context.getHandler());
    const { id: personId } = acting.person;
    const { params, body } = request;
    const facts = rule.factsOf({ params, body, answer, personId } as Done);
    await this.audit.add({
      organisationId: facts.organisationId ?? acting.organisation.id,
      actorId: personId,
      action: (facts.action ?? rule.action).name,
      subject: facts.subject ?? '',
      detail: (facts.detail ?? '').slice(0, DETAIL_CHARS_MAX),
      requestId: request.id,
      ip: request.ip,
    });
  }
}

/**
 * An action of a route, with the function that reads its subject and its details from the call and the answer. The name
 * of a parameter of the address instead of a function is the subject alone.
 */
export const audited = (
  action: AuditAction,
  facts: AuditRule['factsOf'] | string = () => ({}),
): AuditRule => ({
  action,
  factsOf: typeof facts === 'string' ? ({ params }) => ({ subject: params[facts] }) : facts,
});

/**
 * Makes a route record its calls with a session in the organisation's audit. Calls of keys and wallets are recorded by
 * their charges.
 */
export const Audited = (rule: AuditRule): MethodDecorator =>
  applyDecorators(SetMetadata(AUDITED, rule), UseInterceptors(AuditedInterceptor));
