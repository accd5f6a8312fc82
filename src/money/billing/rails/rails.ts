import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { firstDuplicates } from '#kernel/duplicates';
import { PrepaidRail } from './prepaid-rail';
import type { PaymentRail } from './rail';
import type { RailName } from '../charges/charge.entity';

/** The token under which the module lists all rails. */
export const ALL_RAILS = Symbol('ALL_RAILS');

/** The token under which the module lists every header that carries a credential of some rail. */
export const CREDENTIAL_HEADERS = Symbol('CREDENTIAL_HEADERS');

/** The start fails if two rails have the same name, or the same prefix of accounts. */
const refuseDuplicates = (all: readonly PaymentRail[]): void => {
  const called = ([one, other]: readonly [PaymentRail, PaymentRail]): string =>
    `${one.constructor.name} and ${other.constructor.name}`;
  const named = firstDuplicates(all, ({ name }) => name);
  if (named !== undefined) throw new Error(`The rails ${called(named)} are both named ${named[0].name}.`);
  const holding = firstDuplicates(all, ({ facts }) => facts.accounts);
  if (holding !== undefined)
    throw new Error(
      `The rails ${called(holding)} both spend from accounts that begin with ${holding[0].facts.accounts}.`,
    );
};

/** All rails, in their order and by their name. */
@Injectable()
export class Rails {
  private readonly byName: ReadonlyMap<RailName, PaymentRail>;

  constructor(@Inject(ALL_RAILS) readonly all: readonly PaymentRail[]) {
    refuseDuplicates(all);
    this.byName = new Map(all.map((rail) => [rail.name, rail]));
  }

  /** The first rail in the list that may pay and whose credential the request carries, valid or not. */
  claiming(request: FastifyRequest, allowed?: readonly RailName[]): PaymentRail | undefined {
    return this.all.find(
      (rail) => (allowed === undefined || allowed.includes(rail.name)) && rail.claims(request),
    );
  }

  /** The first prepaid rail whose credential the request carries. These rails prove an owner without a payment. */
  prepaidClaiming(request: FastifyRequest): PrepaidRail | undefined {
    return this.all.find((rail): rail is PrepaidRail => rail instanceof PrepaidRail && rail.claims(request));
  }

  /** The prepaid rail of this name. Throws for a rail without prepaid money. */
  prepaid(name: RailName): PrepaidRail {
    const rail = this.of(name);
    if (rail instanceof PrepaidRail) return rail;
    throw new Error(`Nothing can be set aside on the rail ${name}.`);
  }

  of(name: RailName): PaymentRail {
    const rail = this.byName.get(name);
    if (rail === undefined) throw new Error(`No rail is called ${name}.`);
    return rail;
  }
}
