import type { CallToolResult } from '@modelcontextprotocol/server';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { PaidRoutes } from '#money/billing/calls/paid-routes';
import { PAYMENT_HEADERS } from '#money/billing/rails/x402/proof/payment-header';
import { Catalog } from '#models/catalog/catalog';
import { EventStreams } from '#notices/events/event-streams';
import { JobEvents } from '#work/jobs/job-events';
import { JobsService } from '#work/jobs/jobs.service';
import { AppError, InvalidRequest } from '#kernel/app-error';
import { similarTo } from '#kernel/nearest';
import { schemaOf } from '#platform/http/routes/schema-of';
import { validateAs } from '#platform/http/routes/validation';
import { InProcess } from './in-process';
import { WAIT_SECONDS_DEFAULT } from './mcp-limits';
import { bodyOf, pictureIn, picturePath, refusalOf, resultOf } from './tool-results';
import { fieldsOf } from './tool-schemas';
import { type Arguments, type Tool, toolsOf } from './tools';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const PROGRESS_EVERY_MS = 1_000;
/** The caller of a tool, with a way to send progress. */
export interface ToolCaller {
  readonly request: FastifyRequest;
  /** Aborted when the caller disconnects or cancels. */
  readonly signal: AbortSignal;
  /** The signed payment of this call, from `_meta["x402/payment"]`. */
  readonly payment?: unknown;
  /** Reports the progress in percent. It does nothing if the caller did not ask for progress. */
  readonly report: (progress: number, total: number, message: string) => Promise<void>;
}

interface Own extends Arguments {
  readonly jobId?: string;
  readonly inline?: boolean;
  readonly waitSeconds?: number;
}

interface Medium extends Readonly<Record<string, unknown>> {
  readonly status?: string;
  readonly jobId?: string;
  readonly kind?: string;
  readonly url?: string;
}

/** A model that misspells an argument would otherwise pay for something that it did not ask for. */
const refuseUnknown = ({ name, inputSchema, body = {} }: Tool, given: Arguments): void => {
  const known = Object.keys({ ...fieldsOf(inputSchema), ...fieldsOf(body) });
  const unknown = Object.keys(given).find((one) => !known.includes(one));
  if (unknown === undefined) return;
  const shown = unknown.slice(0, 100);
  const near = similarTo(unknown.replaceAll('_', ''), known);
  throw new InvalidRequest(
    `${name} does not know ${shown}. ${near === undefined ? `It takes ${known.join(', ')}.` : `Did you mean ${near}?`}`,
    { param: shown },
  );
};

/** Separates the tool's own arguments, which it validates, from the fields that the route will validate. */
const split = (tool: Tool, given: Arguments): { readonly own: Own; readonly fields: Arguments } => {
  refuseUnknown(tool, given);
  for (const type of tool.own) validateAs(type, given);
  const names = new Set(tool.own.flatMap((type) => Object.keys(schemaOf(type)['properties'] as object)));
  const part = (isOwn: boolean): Arguments =>
    Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name) === isOwn));
  return { own: part(true), fields: part(false) };
};

const paymentHeader = (payment: unknown): Readonly<Record<string, string>> =>
  payment === undefined
    ? {}
    : {
        [PAYMENT_HEADERS[0]]:
          typeof payment === 'string' ? payment : Buffer.from(JSON.stringify(payment)).toString('base64'),
      };

const byName = (tools: readonly Tool[]): ReadonlyMap<string, Tool> => {
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  if (named.size < tools.length) throw new Error('Two MCP tools have the same name.');
  return named;
};

/** Runs a tool. It calls the tool's route, waits for a job up to a time limit, and returns an image as an image. */
@Injectable()
export class ToolRunner implements OnApplicationBootstrap {
  /** The tools by name. The start sets them, because paid routes declare some of them. */
  tools: ReadonlyMap<string, Tool> = new Map();

  constructor(
    private readonly routes: InProcess,
    private readonly streams: EventStreams,
    private readonly jobs: JobsService,
    private readonly events: JobEvents,
    private readonly catalog: Catalog,
    private readonly paid: PaidRoutes,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.tools = byName(toolsOf(this.catalog, this.paid));
  }

  async run(tool: Tool, given: Arguments, caller: ToolCaller): Promise<CallToolResult> {
    const { own, fields } = split(tool, given);
    const { headers, ...call } = tool.call(own, fields);
    const seconds = tool.waitsFor === undefined ? 0 : (own.waitSeconds ?? WAIT_SECONDS_DEFAULT);
    const waiting = new Waiting(seconds, caller);
    try {
      const answer = await this.routes.call(caller.request, {
        ...call,
        headers: {
          ...headers,
          ...paymentHeader(caller.payment),
          ...(tool.waitsFor === 'a running job' ? { prefer: `wait=${seconds}` } : {}),
        },
      });
      if (answer.status >= 400) return refusalOf(answer, tool.name, own);
      const body: Medium = bodyOf(answer);
      const jobId = own.jobId ?? body.jobId;
      const medium =
        tool.waitsFor === undefined || jobId === undefined
          ? body
          : await this.untilEnded(jobId, body, waiting, caller);
      return resultOf(answer, medium, {
        made: tool.makes ?? 'job',
        isOrder: tool.waitsFor === 'a running job',
        picture: own.inline === false ? [] : await this.pictureOf(medium, caller),
      });
    } finally {
      waiting.end();
    }
  }

  private async untilEnded(
    jobId: string,
    first: Medium,
    waiting: Waiting,
    caller: ToolCaller,
  ): Promise<Medium> {
    const { request, signal } = caller;
    if (first.status !== 'running' || waiting.leftMs <= 0) return first;
    try {
      await this.streams.wait(request, signal, undefined, waiting.leftMs / 1_000, async (over) => {
        for await (const { type, data } of this.events.of(await this.jobs.find(jobId), undefined, over)) {
          const { progress = 0 } = data as { readonly progress?: number };
          if (type === 'job.progress') waiting.message = `The job is at ${progress} %.`;
        }
      });
    } catch (error) {
      // The caller may have too many concurrent waits. It can call again, so the paid result is not lost.
      if (!(error instanceof AppError)) throw error;
    }
    const url = `/v1/agent/jobs/${encodeURIComponent(jobId)}`;
    const polled = await this.routes.call(request, { method: 'GET', url });
    // If this poll is refused, for example by a rate limit, the state of the job is unknown, so the first answer stays.
    return polled.status === 200 ? { ...bodyOf(polled), jobId } : first;
  }

  private async pictureOf(medium: Medium, { request }: ToolCaller): Promise<CallToolResult['content']> {
    const url = picturePath(medium, this.settings.http.publicUrl);
    return url === undefined ? [] : pictureIn(await this.routes.call(request, { method: 'GET', url }));
  }
}

/** A wait with a time limit, which sends progress every second. */
class Waiting {
  message = 'Working.';
  private readonly began = Date.now();
  private readonly timer?: NodeJS.Timeout;

  constructor(
    private readonly seconds: number,
    { report }: ToolCaller,
  ) {
    if (seconds > 0) {
      this.timer = setInterval(() => {
        report(Math.min(99, this.percent), 100, this.message).catch(() => undefined); // The caller may have disconnected.
      }, PROGRESS_EVERY_MS);
    }
  }

  get leftMs(): number {
    return this.seconds * 1_000 - (Date.now() - this.began);
  }

  end(): void {
    clearInterval(this.timer);
  }

  private get percent(): number {
    return Math.floor(((Date.now() - this.began) / (this.seconds * 1_000)) * 100);
  }
}
