import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

export const VideoNotReady = defineError(
  errorCode('VIDEO_NOT_READY', 'conflict', {
    means: 'The video is still being made.',
    remedy: 'Ask `GET /v1/agent/videos/{id}` with `Prefer: wait=60`: it answers when the video is done.',
  }),
  'This video is not finished yet. Poll it, and ask for its content when it is completed.',
  { retryAfterSeconds: 5 },
);

export const JobFailed = defineError(
  errorCode('JOB_FAILED', 'gone', {
    means: 'The work failed after it was accepted, so there is no file.',
    remedy:
      'Its money is refunded automatically; `chargeState` of the job shows when. Make a new call if you still want it.',
  }),
);
