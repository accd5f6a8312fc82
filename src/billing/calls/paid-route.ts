import { Reflector } from '@nestjs/core';

import type { PaidOptions } from './paid-call';

/** What a paid route said of itself, for the guards to read. */
export const PaidRoute = Reflector.createDecorator<PaidOptions>();
