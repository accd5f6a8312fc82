import { declareOperation } from '#money/billing/charges/operation';
import { JobsService } from '#work/jobs/jobs.service';

/** The operation of all routes for images and videos. The job of a charge has the outcome of its work. */
export const MEDIA = declareOperation({
  name: 'media',
  sold: 'One generated image or video.',
  work: JobsService,
});
