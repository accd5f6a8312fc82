import type { PricedCall } from '#models/catalog/priced-call';
import type { RouteScope } from '#people/keys/key-scopes';
import { kindOf, type MediaMode } from '#models/providers/media-mode';

/** The scope that a call needs: the kind of medium of its model. The priced mode of media is a `MediaMode`. */
export const mediaScope = ({ mode }: PricedCall): RouteScope => kindOf(mode as MediaMode);
