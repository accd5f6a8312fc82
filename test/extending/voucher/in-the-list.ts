import { RAIL_GUARDS } from '../../../src/billing/rails';
import { VoucherGuard } from './voucher.guard';

// A rail in `src` is one line of the list itself. Here this line must run before anything reads the list.
RAIL_GUARDS.push(VoucherGuard);
