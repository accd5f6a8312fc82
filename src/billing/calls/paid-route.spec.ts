import { type CanActivate, Controller, Post, UseGuards } from '@nestjs/common';

import type { PaidOptions } from './paid-call';
import { ListedAsPaid, paidRoutes } from './paid-route';

const SOLD = {} as PaidOptions;

@Controller('v1/agent/lanterns')
class Lanterns {
  @Post('light')
  @ListedAsPaid(SOLD)
  light(): void {
    // What it sells is nobody's business here.
  }
}

describe('a paid route', () => {
  it('is known by its address', () => {
    expect([...paidRoutes()]).toEqual([
      ['/v1/agent/lanterns/light', { controller: Lanterns, method: 'light', options: SOLD }],
    ]);
  });

  it('has no guard that nobody would ask', () => {
    const nobody: CanActivate = { canActivate: () => false };
    const guarded = Object.getOwnPropertyDescriptor(Lanterns.prototype, 'light')!;
    UseGuards(nobody)(Lanterns.prototype, 'light', guarded);

    expect(() => paidRoutes()).toThrow('Lanterns.light is @Paid: guards');
  });
});
