import { RAILS } from '../../../src/billing/rails';
import { VoucherRail } from './voucher.rail';

// The one line. In src it stands in the list itself; here it comes before anything reads the list.
RAILS.push(VoucherRail);
