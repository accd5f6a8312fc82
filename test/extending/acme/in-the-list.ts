import { VENDORS } from '#models/providers/vendors';
import { acme } from './acme.vendor';

// A vendor in `src` is one line of the list itself. Here this line must run before anything reads the list.
VENDORS.push(acme);
