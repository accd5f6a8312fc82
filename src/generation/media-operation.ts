import { declareOperation } from '../billing/charges/operation';
import { JobsService } from '../jobs/jobs.service';

/** Images and videos, on all their routes: a job of each charge says what became of it. */
export const MEDIA = declareOperation({
  name: 'media',
  sold: 'One generated image or video.',
  work: JobsService,
});
