import { VENDORS } from '../../../src/providers/vendors';
import { quill } from './quill.vendor';

// The one line. In src it is in the list itself.
VENDORS.push(quill);
