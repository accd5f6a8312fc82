import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
  fromJsonSchema,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';

import type { JobAnswer } from '#work/jobs/jobs.dto';
import { withoutAbsent } from '#kernel/present';
import { type ToolCaller, ToolRunner } from './tool-runner';
import type { Tool } from './tools';

/** The name of the protocol's extension. */
const TASKS = 'io.modelcontextprotocol/tasks';
const POLL_INTERVAL_MS = 2_000;

const TASK = fromJsonSchema<{ readonly taskId: string }>({
  type: 'object',
  properties: { taskId: { type: 'string', maxLength: 100 } },
  required: ['taskId'],
});

/** The server announces its tasks by this capability. */
export const TASK_CAPABILITY = { [TASKS]: {} };

/** Whether the client of this message takes a task in place of a result. */
const knowsTasks = ({ mcpReq: { envelope } }: ServerContext): boolean => {
  const meta = envelope as Readonly<Record<string, unknown>> | undefined;
  const { extensions } = (meta?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as {
    readonly extensions?: Readonly<Record<string, unknown>>;
  };
  return typeof extensions?.[TASKS] === 'object';
};

interface Refused {
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** The state of a task that is this job. */
const taskOf = (taskId: string, { status, errorCode, ...job }: JobAnswer): Result => ({
  taskId,
  status: status === 'running' ? 'working' : errorCode === 'CANCELLED' ? 'cancelled' : 'completed',
  ...withoutAbsent({
    statusMessage:
      status === 'running' ? `The ${job.kind} is at ${job.progress ?? 0} %.` : (job.error ?? undefined),
  }),
  createdAt: job.createdAt,
  lastUpdatedAt: job.finishedAt ?? new Date().toISOString(),
  ttlMs: null,
  pollIntervalMs: POLL_INTERVAL_MS,
});

/**
 * Jobs as tasks, for clients that announce the extension. The id of a task is that of its job, so any process can
 * answer for it. Other clients call wait_for_job.
 */
@Injectable()
export class JobTasks {
  constructor(private readonly runner: ToolRunner) {}

  /** Runs a tool. A job that still runs is a task for a client that knows tasks, which need not wait for a film. */
  async run(
    tool: Tool,
    given: Readonly<Record<string, unknown>>,
    caller: ToolCaller,
    context: ServerContext,
  ): Promise<CallToolResult> {
    const isTask = knowsTasks(context) && tool.waitsFor === 'a running job';
    const result = await this.runner.run(
      tool,
      isTask && tool.makes === 'video' ? { waitSeconds: 0, ...given } : given,
      caller,
    );
    const { status, jobId } = (result.structuredContent ?? {}) as {
      readonly status?: string;
      readonly jobId?: string;
    };
    if (!isTask || status !== 'running' || jobId === undefined) return result;
    const answer = await this.stateOf(jobId, caller);
    // A job that its caller can't look at yet is no task.
    if (answer.isError === true) return result;
    const { _meta } = result;
    return { ...taskOf(jobId, jobIn(answer)), _meta, resultType: 'task' } as unknown as CallToolResult;
  }

  /** Answers the methods of the extension. */
  serve(server: Server, callerOf: (context: ServerContext) => ToolCaller): void {
    const schemas = { params: TASK };
    const requireTasks = (context: ServerContext): void => {
      if (!knowsTasks(context))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: TASK_CAPABILITY },
        });
    };
    server.setRequestHandler('tasks/get', schemas, async ({ taskId }, context) => {
      requireTasks(context);
      const answer = await this.stateOf(taskId, callerOf(context));
      const { error } = (answer.structuredContent ?? {}) as Refused;
      if (answer.isError === true) {
        const isUnknown = error?.code === 'NOT_FOUND';
        throw new ProtocolError(
          isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
          error?.message ?? 'The task could not be read.',
        );
      }
      const job = jobIn(answer);
      const task = taskOf(taskId, job);
      if (task['status'] !== 'completed') return task;
      return { ...task, result: job.status === 'failed' ? { ...answer, isError: true } : answer };
    });
    // The extension wants an empty answer, whatever becomes of the cancellation.
    server.setRequestHandler('tasks/cancel', schemas, async ({ taskId }, context) => {
      requireTasks(context);
      await this.runner.run(this.runner.tools.get('cancel_job')!, { jobId: taskId }, callerOf(context));
      return {};
    });
    // No task of ours asks its client for anything.
    server.setRequestHandler('tasks/update', schemas, (_, context) => {
      requireTasks(context);
      return {};
    });
  }

  private stateOf(jobId: string, caller: ToolCaller): Promise<CallToolResult> {
    return this.runner.run(this.runner.tools.get('wait_for_job')!, { jobId, waitSeconds: 0 }, caller);
  }
}

const jobIn = ({ structuredContent }: CallToolResult): JobAnswer => structuredContent as unknown as JobAnswer;
