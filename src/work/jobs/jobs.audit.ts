import { auditAction } from '#people/accounts/audit/audit-action';

export const JOB_CANCELLED = auditAction('job.cancelled', (what) => `cancelled the job ${what}`);
