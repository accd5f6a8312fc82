import { Inject, Injectable } from '@nestjs/common';

import type { PaymentRail, RailName } from './rail';

/** The token under which the module lists all rails. */
export const ALL_RAILS = Symbol('ALL_RAILS');

/** All rails by their name. */
@Injectable()
export class Rails {
  private readonly byName: ReadonlyMap<RailName, PaymentRail>;

  constructor(@Inject(ALL_RAILS) rails: readonly PaymentRail[]) {
    this.byName = new Map(rails.map((rail) => [rail.name, rail]));
  }

  of(name: RailName): PaymentRail {
    const rail = this.byName.get(name);
    if (rail === undefined) {
      throw new Error(`No rail is called ${name}.`);
    }
    return rail;
  }
}
