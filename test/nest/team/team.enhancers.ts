import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  createParamDecorator,
} from '@nestjs/common';
import { ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, map, tap } from 'rxjs';

/** The enhancers that ran, in order. */
@Injectable()
export class Trail {
  readonly steps: string[] = [];

  add(step: string): void {
    this.steps.push(step);
  }
}

const requestOf = (context: ExecutionContext): FastifyRequest =>
  context.switchToHttp().getRequest<FastifyRequest>();

@Injectable()
export class OpenHeaderGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return requestOf(context).headers['x-team'] === 'open';
  }
}

/** A global guard that closes every route for requests with a certain header. */
@Injectable()
export class MaintenanceGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return requestOf(context).headers['x-maintenance'] === undefined;
  }
}

/** A global interceptor that records the calls of the team's routes. */
@Injectable()
export class TrailInterceptor implements NestInterceptor {
  constructor(private readonly trail: Trail) {}

  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.trail.add('interceptor');
    return next.handle().pipe(tap((answer) => this.trail.add(`answer ${JSON.stringify(answer)}`)));
  }
}

@Injectable()
export class CaseInterceptor implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler<{ text: string }>): Observable<{ text: string }> {
    return next.handle().pipe(map(({ text }) => ({ text: text.toUpperCase() })));
  }
}

export class Dropped extends Error {}

/** One test uses this filter globally, another one on a method. */
@Catch(Dropped)
export class DroppedFilter implements ExceptionFilter {
  catch(_: Dropped, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().status(418).send({ dropped: true });
  }
}

@Injectable()
export class TrimPipe implements PipeTransform {
  transform(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || !('name' in value)) return value;
    return 'payer' in value ? value : { ...value, name: String((value as { name: unknown }).name).trim() };
  }
}

export const TeamHeader = createParamDecorator((_: unknown, context: ExecutionContext) =>
  String(requestOf(context).headers['x-team'] ?? ''),
);

@ValidatorConstraint({ name: 'evenLength', async: true })
export class EvenLength implements ValidatorConstraintInterface {
  validate(text: unknown): Promise<boolean> {
    return Promise.resolve(typeof text === 'string' && text.length % 2 === 0);
  }

  defaultMessage(): string {
    return 'even must have an even number of characters';
  }
}
