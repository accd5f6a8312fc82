import { VENDORS } from '../../../src/providers/vendors';
import { acme } from './acme.vendor';

// The one line. In src it is in the list itself; here it comes before anything reads the list.
VENDORS.push(acme);
