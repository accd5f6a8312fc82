import { RAIL_GUARDS } from '#money/billing/rails/rail-order';
import { SampleVoucherGuard } from './sample-voucher.guard';

// A rail in `src` is one line of the list itself. Here this line must run before anything reads the list.
RAIL_GUARDS.push(SampleVoucherGuard);
