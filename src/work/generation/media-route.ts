import { MEDIA_REPLAY_SECONDS } from '#money/billing/calls/replay-limits';
import { declareOperation } from '#money/billing/charges/operation';
import type { PricedCall } from '#models/catalog/priced-call';
import { type MediaMode, kindOf } from '#models/providers/media-mode';
import type { RouteScope } from '#people/keys/key-scopes';
import { JobsService } from '#work/jobs/jobs.service';

/** All routes for images and videos sell the same work. The job of a charge has the outcome of its work. */
export const MEDIA_ROUTE = {
  operation: declareOperation({
    name: 'media',
    sold: 'One generated image or video.',
    work: JobsService,
  }),
  limit: 'media',
  /** The scope that a call needs: the kind of medium of its model. The priced mode of media is a `MediaMode`. */
  scope: ({ mode }: PricedCall): RouteScope => kindOf(mode as MediaMode),
  /** The synchronous window, and the time for the settlement after it. */
  runSecondsMax: 130,
  replaySeconds: MEDIA_REPLAY_SECONDS,
  answer: 'from-job',
  bodyBytesMax: 64 * 1024,
  generates: true,
} as const;
