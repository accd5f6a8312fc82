import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { refuseForeignOrigin } from './own-origin';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** Guards routes that set or remove the cookie, so that no other site can sign a visitor in or out. */
@Injectable()
export class OwnOriginGuard implements CanActivate {
  constructor(@Inject(SETTINGS) private readonly settings: HttpSettings) {}

  canActivate(context: ExecutionContext): boolean {
    refuseForeignOrigin(context.switchToHttp().getRequest<FastifyRequest>(), this.settings.http.publicUrl);
    return true;
  }
}
