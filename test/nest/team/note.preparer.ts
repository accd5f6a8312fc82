import { Injectable } from '@nestjs/common';

import type { PaidBody } from '#money/billing/calls/paid-body';
import { type PreparedCall, Preparer } from '#money/billing/calls/preparer';
import { InvalidRequest } from '#kernel/app-error';

type Note = PaidBody & { readonly name: string; readonly copies?: number | null };

/** Only even numbers of copies can be printed. */
@Injectable()
export class NotePreparer extends Preparer<Note, string> {
  readonly tried: string[] = [];
  discarded = 0;

  prepare({ body: { name, copies } }: PreparedCall<Note>, local: boolean): string {
    this.tried.push(`${copies} ${local ? 'locally' : 'really'}`);
    if (copies === undefined || copies === null || copies % 2 === 1) {
      throw new InvalidRequest('copies must be even.', {
        param: 'copies',
        remedies: [
          { param: 'copies', value: 10 },
          { param: 'copies', value: 7 },
          { param: 'copies', value: 4 },
        ],
      });
    }
    return name;
  }

  override discard(): undefined {
    this.discarded += 1;
  }
}
