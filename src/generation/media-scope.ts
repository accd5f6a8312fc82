import type { PricedCall } from '../catalog/priced-call';
import type { RouteScope } from '../keys/key-scopes';
import { kindOf, type MediaMode } from '../providers/media-mode';

/** The scope that a call needs: the kind of medium of its model. The priced mode of media is a `MediaMode`. */
export const mediaScope = ({ mode }: PricedCall): RouteScope => kindOf(mode as MediaMode);
