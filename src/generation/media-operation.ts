import { declareOperation } from '../billing/charges/operation';
import { JobsService } from '../jobs/jobs.service';

/** Images and videos, on all their routes: the job of each charge has the outcome of its work. */
export const MEDIA = declareOperation({
  name: 'media',
  sold: 'One generated image or video.',
  work: JobsService,
});
