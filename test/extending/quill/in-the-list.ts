import { VENDORS } from '#models/providers/vendors';
import { quill } from './quill.vendor';

// A vendor in `src` is one line of the list itself.
VENDORS.push(quill);
