import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  Server,
  type ServerContext,
  type ServerOptions,
  type Tool as ListedTool,
} from '@modelcontextprotocol/server';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Owners } from '#money/billing/calls/owners';
import { AppError } from '#kernel/app-error';
import { ifPresent } from '#kernel/present';
import { describeError } from '#platform/http/answers/error-filter';
import { API_VERSION } from '#faces/discovery/openapi-documents';
import { InProcess } from './in-process';
import { JobTasks, TASK_CAPABILITY } from './job-tasks';
import { PROMPTS, promptOf } from './prompts';
import { RESULT_APP, SHOWN_BY_APP, resultApp } from './result-app';
import { type ToolCaller, ToolRunner } from './tool-runner';
import { failureOf } from './tool-results';
import { forModels } from './tool-schemas';
import type { Tool } from './tools';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const INSTRUCTIONS =
  'Image, video, audio and text generation, paid call by call. Every generating tool has a default model; quote says a price ' +
  'for free, maxPriceMicro bounds it and dryRun checks a call without making it. Prices are in micro-USD: 1000000 is ' +
  'one US dollar. Calls are paid by the key or the wallet of this connection. Without one, the error says what to pay ' +
  'by x402, and the same call with _meta["x402/payment"] is answered. Videos, and images that take long, answer running with a jobId: call wait_for_job until it says ' +
  'done. An error says what to change; where one change helps, fix holds the corrected arguments.';

/** Documents that a client can read without a tool. Each comes from its public route. */
const RESOURCES: readonly (Resource & { readonly route: string })[] = [
  {
    uri: 'lamppost://catalog',
    name: 'catalog',
    title: 'Models and prices',
    description: 'All models with their inputs and prices.',
    mimeType: 'application/json',
    route: '/v1/agent/models',
  },
  {
    uri: 'lamppost://guide',
    name: 'guide',
    title: 'The guide',
    description: 'The whole HTTP API in one page, with code for each way to pay.',
    mimeType: 'text/markdown',
    route: '/v1/agent/guide.md',
  },
];

/** How long a client may keep an answer. The tools and the models of a key are for its caller alone. */
const CACHE_HINTS: ServerOptions['cacheHints'] = {
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
  'prompts/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/read': { ttlMs: 60_000, cacheScope: 'private' },
  'tools/list': { ttlMs: 300_000, cacheScope: 'private' },
};

const listed = ({
  name,
  title,
  description,
  annotations,
  inputSchema,
  outputSchema,
  waitsFor,
}: Tool): ListedTool =>
  ({
    name,
    title,
    description,
    annotations,
    inputSchema: forModels(inputSchema),
    outputSchema: ifPresent(outputSchema, forModels),
    _meta: waitsFor === undefined ? undefined : SHOWN_BY_APP,
  }) as unknown as ListedTool;

/** Creates a server that answers one message. It keeps no state, so any process can answer the next message. */
@Injectable()
export class McpServerFactory {
  private readonly logger = new Logger(McpServerFactory.name);

  constructor(
    private readonly runner: ToolRunner,
    private readonly tasks: JobTasks,
    private readonly routes: InProcess,
    private readonly owners: Owners,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  serverFor(request: FastifyRequest): Server {
    const server = new Server(
      { name: 'lamppost', title: 'Lamppost', version: API_VERSION },
      {
        capabilities: { tools: {}, resources: {}, prompts: {}, extensions: TASK_CAPABILITY },
        instructions: INSTRUCTIONS,
        cacheHints: CACHE_HINTS,
      },
    );
    server.setRequestHandler('tools/list', async () => ({ tools: await this.offeredTo(request) }));
    const callerOf = ({ mcpReq: { signal } }: ServerContext): ToolCaller => ({
      request,
      signal,
      report: () => Promise.resolve(),
    });
    this.tasks.serve(server, callerOf);
    server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
      const tool = this.runner.tools.get(params.name);
      if (tool === undefined) {
        const names = [...this.runner.tools.keys()].join(', ');
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool ${params.name.slice(0, 100)}; there are ${names}.`,
        );
      }
      const { progressToken, 'x402/payment': payment } = params._meta ?? {};
      const report = async (progress: number, total: number, message: string): Promise<void> => {
        if (progressToken === undefined) return;
        await context.mcpReq
          .notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total, message },
          })
          .catch(() => undefined); // The caller may have disconnected and then needs no message.
      };
      try {
        const caller = { ...callerOf(context), report, payment };
        return await this.tasks.run(tool, params.arguments ?? {}, caller, context);
      } catch (error) {
        return this.unexpected(error, request.id);
      }
    });
    server.setRequestHandler('resources/list', () => ({
      resources: RESOURCES.map(({ route: _, ...resource }) => resource),
    }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      if (uri === RESULT_APP) return resultApp(this.settings.http.publicUrl);
      const resource = RESOURCES.find((one) => one.uri === uri);
      if (resource === undefined) {
        const known = RESOURCES.map((one) => one.uri).join(' and ');
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no such resource; there are ${known}.`,
          { uri },
        );
      }
      const { bytes } = await this.routes.call(request, { method: 'GET', url: resource.route });
      return { contents: [{ uri, mimeType: resource.mimeType, text: bytes.toString('utf8') }] };
    });
    server.setRequestHandler('prompts/list', () => ({ prompts: [...PROMPTS] }));
    server.setRequestHandler('prompts/get', ({ params }) => {
      const prompt = promptOf(params.name, params.arguments ?? {});
      if (prompt === undefined) {
        const names = PROMPTS.map(({ name }) => name).join(' and ');
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no such prompt; there are ${names}.`,
        );
      }
      return prompt;
    });
    return server;
  }

  private async offeredTo(request: FastifyRequest): Promise<ListedTool[]> {
    const offered = await Promise.all(
      [...this.runner.tools.values()].map(async (tool) =>
        (await this.isOffered(tool, request)) ? [listed(tool)] : [],
      ),
    );
    return offered.flat();
  }

  private async isOffered({ scope, needsOwner }: Tool, request: FastifyRequest): Promise<boolean> {
    if (scope === undefined) return true;
    if (scope === 'unnamed') return !(await this.owners.isScopedOut(request, undefined));
    return needsOwner ? this.owners.may(request, scope) : !(await this.owners.isScopedOut(request, scope));
  }

  /** Puts a failure that occurs before a route is called into our envelope. */
  private unexpected(error: unknown, requestId: string): CallToolResult {
    if (!(error instanceof AppError))
      this.logger.error({ err: error, requestId }, 'A tool failed with an unexpected error.');
    const { body } = describeError(error, { requestId, publicUrl: this.settings.http.publicUrl });
    return failureOf({ ...body });
  }
}
