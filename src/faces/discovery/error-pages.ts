import { FAILURE_REASONS } from '#work/jobs/job-failures';
import { type ErrorCode, errorCodes } from '#kernel/error-code';
import { answersWith } from '#platform/http/answers/error-statuses';
import { STATUS_TEXTS } from './status-texts';

const statusesOf = (code: ErrorCode): readonly number[] => [
  ...new Set(answersWith(code).map(({ status }) => status)),
];

const sectionOf = (declared: ErrorCode): string => {
  const { code, means, remedy } = declared;
  const [{ type, retryable } = { type: '', retryable: false }] = answersWith(declared);
  const again = retryable ? 'the same call may succeed later' : 'the same call fails again';
  return `### ${code}\n\n${statusesOf(declared).join(' or ')} · \`${type}\` · ${again}\n\n${means}\n\n**What to do.** ${remedy}\n`;
};

/** Every code with its meaning and remedy, by status and name. */
export const errorSections = (): string => {
  const codes = errorCodes();
  const statuses = [...new Set(codes.map((code) => statusesOf(code)[0] ?? 500))].sort((a, b) => a - b);
  return statuses
    .map((status) => {
      const sections = codes.filter((code) => statusesOf(code)[0] === status).map(sectionOf);
      return `## ${status}\n\n${STATUS_TEXTS[status] ?? ''}\n\n${sections.join('\n')}`;
    })
    .join('\n');
};

/** The reasons of failed jobs: `errorCode` of a job. */
export const jobErrorRows = (): string =>
  Object.entries(FAILURE_REASONS)
    .map(([code, reason]) => `| \`${code}\` | ${reason} |`)
    .join('\n');
