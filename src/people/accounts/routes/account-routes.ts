import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

import { declarePageAccess } from '#platform/http/answers/browser-headers';
import { watchRoutes } from '#platform/http/routes/route';
import { AGENT_API, type Role, type Who } from '../roles';
import { sessionRuleIn } from './session-rule';

const ACCOUNT = '/v1/account';

declarePageAccess({ own: [ACCOUNT], headers: ['x-organisation'] });

const lines: string[] = [];

/**
 * The routes that depend on the role, by name, and the agent API as one entry to read and one to change. The start
 * fills this list.
 */
export const ROLE_LINES: readonly string[] = lines;

/** The rights of each role, by route. The routes say them, with `@AccountRoute`. */
@Injectable()
export class AccountRoutes {
  private readonly who = new Map<string, Who>();

  constructor() {
    this.add('read /v1/agent', AGENT_API.read);
    this.add('change /v1/agent', AGENT_API.change);
  }

  /** It must run before the routes are registered. The service does not start with a route of the account that has no rule. */
  watch(instance: FastifyInstance): void {
    watchRoutes(instance, ACCOUNT, (line, options) => {
      const who = sessionRuleIn(options)?.who;
      if (who === undefined)
        throw new Error(`Nothing says who may call ${line}. Add @AccountRoute({ who: … }).`);
      if (!line.startsWith('HEAD ')) this.add(line, who);
    });
  }

  /** Every route of the account, with those who may call it. */
  get rights(): ReadonlyMap<string, Who> {
    return this.who;
  }

  /** The lines of a role. Pages hide actions that the role does not permit. */
  linesFor(role: Role): readonly string[] {
    return lines.filter((line) => (this.who.get(line) as readonly Role[] | undefined)?.includes(role));
  }

  private add(line: string, who: Who): void {
    this.who.set(line, who);
    if (typeof who === 'string' || lines.includes(line)) return;
    lines.push(line);
    lines.sort();
  }
}
