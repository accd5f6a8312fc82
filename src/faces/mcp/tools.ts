import type { ToolAnnotations } from '@modelcontextprotocol/server';

import type { PaidRoutes } from '#money/billing/calls/paid-routes';
import { QuoteBody } from '#money/billing/quotes/quote.dto';
import { QUOTE_SECONDS } from '#money/billing/prices/quote-lock';
import type { Catalog } from '#models/catalog/catalog';
import { GenerateBody } from '#work/generation/generate.dto';
import { type MediaCall, modeOf } from '#work/generation/media-request';
import { JOB_STATUSES } from '#work/jobs/job.entity';
import { type Schema, describedSchemaOf } from '#platform/http/routes/schema-of';
import { NewReferenceBody } from '#work/references/references.dto';
import { DelegatedKeyBody } from '#people/delegation/delegated-keys.dto';
import type { RouteScope } from '#people/keys/key-scopes';
import type { RestCall } from './in-process';
import {
  BalanceArguments,
  HandingArguments,
  JobArguments,
  KeyArguments,
  ListingArguments,
  PayingArguments,
  QuotingArguments,
  ReferenceArguments,
  ShowingArguments,
  WaitingArguments,
} from './tool-arguments.dto';
import { KEY_MICRO_DEFAULT, KEY_SECONDS_DEFAULT } from './mcp-limits';
import { merged, orError, without } from './tool-schemas';

type ArgumentsClass = new () => object;

/** The arguments of a tool call: the tool's own arguments, and the fields for its route. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: Schema;
  /** The fields that the route takes, if the tool does not list all of them. */
  readonly body?: Schema;
  /** Only of tools whose answer another tool needs. A schema of the whole answer costs more than it helps. */
  readonly outputSchema?: Schema;
  /** Classes of the arguments that the route does not know. The tool validates these itself. */
  readonly own: readonly ArgumentsClass[];
  /** Makes the request to the route. */
  readonly call: (own: Arguments, fields: Arguments) => RestCall;
  /** The kind of medium that it makes. */
  readonly makes?: string;
  /** The job that the tool waits for after the route has answered. */
  readonly waitsFor?: 'a running job' | 'the job asked for';
  /**
   * The scope of its route. The service does not offer the tool to a key without this scope. A route of a team has no name
   * in scopes, so no key that is limited to routes may use it.
   */
  readonly scope?: RouteScope | 'unnamed';
  /** Set if the service offers the tool only to callers whose credential allows its scope. */
  readonly needsOwner?: true;
}

/** Fields that a tool takes and does not list, because a model has no use for them. */
const UNLISTED = ['webhookUrl', 'payer', 'tag'];

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const PAYS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };

const generate = describedSchemaOf(GenerateBody);
const delegated = describedSchemaOf(DelegatedKeyBody);

/** A medium or its job, as far as a program reads it. An error has `error` alone. */
const MEDIUM: Schema = {
  type: 'object',
  properties: {
    status: { enum: [...JOB_STATUSES] },
    jobId: { type: 'string', description: 'For wait_for_job.' },
    url: { type: 'string' },
    error: {},
  },
};

const media = (own: Arguments, body: Arguments): RestCall => ({
  method: 'POST',
  url: '/v1/agent/generate',
  body,
  headers: marked(own),
});

const marked = ({ idempotencyKey }: Arguments): Readonly<Record<string, string>> =>
  typeof idempotencyKey === 'string' ? { 'idempotency-key': idempotencyKey } : {};

/** Dots alone would lead to another route. No id has them alone, so the route then answers that it knows none. */
const segment = (value: unknown): string => encodeURIComponent(String(value)).replace(/^\.+$/, '-');

const queryOf = (own: Arguments): string =>
  new URLSearchParams(
    Object.entries(own).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

const HOW_TO_PAY = 'Paid per call; failures are free.';

/** Sets a model for videos, because without a model and a duration the route would make an image. */
const video = (catalog: Catalog, own: Arguments, body: MediaCall & Arguments): RestCall => {
  const moving = modeOf({ ...body, duration: body.duration ?? 1 });
  // A repeated paid call must be the same call, also after the default of the mode changed.
  if (modeOf(body) === moving) return media(own, body);
  const modelId = body.modelId ?? catalog.defaultMedia(moving)?.id;
  return media(own, modelId === undefined ? body : { ...body, modelId });
};

/** The tools that paid routes declare for themselves. */
const toolsOfRoutes = (paid: PaidRoutes): readonly Tool[] =>
  paid.withTools.map(({ path, options: { body, scope }, tool: { name, title, about, answer } }) => ({
    name,
    title,
    description: `${about} ${HOW_TO_PAY}`,
    annotations: PAYS,
    inputSchema: merged(without(describedSchemaOf(body), ...UNLISTED), describedSchemaOf(PayingArguments)),
    outputSchema: orError(describedSchemaOf(answer)),
    body: describedSchemaOf(body),
    own: [PayingArguments],
    scope: typeof scope === 'function' ? undefined : (scope ?? 'unnamed'),
    call: (own, fields) => ({ method: 'POST', url: path, body: fields, headers: marked(own) }),
  }));

/** All tools. Each tool is one of our routes, called in process, with the schemas of the route. */
export const toolsOf = (catalog: Catalog, paid: PaidRoutes): readonly Tool[] => [
  ...toolsOfRoutes(paid),
  {
    name: 'list_models',
    title: 'List models and prices',
    description:
      'All models with their inputs and prices in micro-USD. Free. Needed only to choose another model than the default.',
    annotations: READS,
    inputSchema: { type: 'object', properties: {}, required: [] },
    own: [],
    scope: 'read',
    call: () => ({ method: 'GET', url: '/v1/agent/models' }),
  },
  {
    name: 'quote',
    title: 'Quote a call',
    description:
      'The exact price of a call before it is made, free. Send its quoteId with the call to pay exactly that; it holds ' +
      `for ${QUOTE_SECONDS / 60} minutes, for the same model, duration, size and, for chat, the same number of characters. ` +
      'Of another paid route: its path, and the body of its call.',
    annotations: READS,
    inputSchema: {
      ...merged(without(describedSchemaOf(QuoteBody), 'model', 'payer'), describedSchemaOf(QuotingArguments)),
      required: [],
    },
    body: describedSchemaOf(QuoteBody),
    own: [QuotingArguments],
    scope: 'read',
    call: ({ path, body }, fields) =>
      path === undefined
        ? { method: 'POST', url: '/v1/agent/quote', body: fields }
        : {
            method: 'POST',
            url: `/v1/agent/quote?path=${segment(path)}`,
            body: { ...(body as object | undefined) },
          },
  },
  {
    name: 'generate_image',
    title: 'Generate an image',
    description:
      'Makes an image from a prompt, edits one (image), or swaps a face into it (image and image2). Answers the image ' +
      `and its address, or running with a jobId for wait_for_job. ${HOW_TO_PAY}`,
    annotations: PAYS,
    inputSchema: merged(
      without(generate, 'video', 'duration', 'audio', 'lastFrame', 'extend', ...UNLISTED),
      describedSchemaOf(PayingArguments),
      describedSchemaOf(WaitingArguments),
    ),
    outputSchema: MEDIUM,
    body: generate,
    own: [PayingArguments, WaitingArguments],
    scope: 'image',
    call: media,
    makes: 'image',
    waitsFor: 'a running job',
  },
  {
    name: 'generate_video',
    title: 'Generate a video',
    description:
      'Makes a video from a prompt, animates an image (image), or moves it like a clip (image and video). It answers ' +
      `running: then call wait_for_job until it says done. Prices are per second; quote first. ${HOW_TO_PAY}`,
    annotations: PAYS,
    inputSchema: merged(
      without(generate, 'image2', 'imageSize', 'quality', 'mask', 'n', ...UNLISTED),
      describedSchemaOf(PayingArguments),
      without(describedSchemaOf(WaitingArguments), 'inline'),
    ),
    outputSchema: MEDIUM,
    body: generate,
    own: [PayingArguments, WaitingArguments],
    scope: 'video',
    call: (own, body) => video(catalog, own, body),
    makes: 'video',
    waitsFor: 'a running job',
  },
  {
    name: 'get_job',
    title: 'Look at a job',
    description: 'The state of a job, and the address of its result. Free.',
    annotations: READS,
    inputSchema: merged(describedSchemaOf(JobArguments), describedSchemaOf(ShowingArguments)),
    own: [JobArguments, ShowingArguments],
    scope: 'read',
    call: ({ jobId }) => ({ method: 'GET', url: `/v1/agent/jobs/${segment(jobId)}` }),
  },
  {
    name: 'wait_for_job',
    title: 'Wait for a job',
    description:
      'Waits for a job to end, reports its progress, and answers its result. When the wait is over first it answers ' +
      'running; call it again. Free.',
    annotations: READS,
    inputSchema: merged(describedSchemaOf(JobArguments), describedSchemaOf(WaitingArguments)),
    own: [JobArguments, WaitingArguments],
    scope: 'read',
    call: ({ jobId }) => ({ method: 'GET', url: `/v1/agent/jobs/${segment(jobId)}` }),
    waitsFor: 'the job asked for',
  },
  {
    name: 'cancel_job',
    title: 'Cancel a job',
    description:
      'Cancels a running job of yours and gives its money back, until the provider starts the work. Free.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    inputSchema: describedSchemaOf(JobArguments),
    own: [JobArguments],
    scope: 'cancel',
    call: ({ jobId }) => ({ method: 'POST', url: `/v1/agent/jobs/${segment(jobId)}/cancel` }),
  },
  {
    name: 'list_jobs',
    title: 'List jobs',
    description:
      'Your own jobs, newest first, also those whose id was lost; by status or by the tag of their calls. Free.',
    annotations: READS,
    inputSchema: describedSchemaOf(ListingArguments),
    own: [ListingArguments],
    scope: 'read',
    call: (own) => ({ method: 'GET', url: `/v1/agent/jobs?${queryOf(own)}` }),
  },
  {
    name: 'list_references',
    title: 'List references',
    description:
      'Your reference library, newest first, with addresses that are good for a day. Give the ids as referenceIds. Free.',
    annotations: READS,
    inputSchema: { type: 'object', properties: {}, required: [] },
    own: [],
    scope: 'references',
    call: () => ({ method: 'GET', url: '/v1/agent/references' }),
  },
  {
    name: 'store_reference',
    title: 'Store a reference',
    description:
      'Stores an image or a video in your reference library: an https address, or a data: URI of an image. Free.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    inputSchema: describedSchemaOf(NewReferenceBody),
    own: [],
    scope: 'references',
    call: (_, body) => ({ method: 'POST', url: '/v1/agent/references', body }),
  },
  {
    name: 'delete_reference',
    title: 'Delete a reference',
    description: 'Deletes a reference of your library for good, with its medium. Free.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    inputSchema: describedSchemaOf(ReferenceArguments),
    own: [ReferenceArguments],
    scope: 'references',
    call: ({ id }) => ({ method: 'DELETE', url: `/v1/agent/references/${segment(id)}` }),
  },
  {
    name: 'create_key',
    title: 'Delegate a part of the money',
    description:
      'Makes a key with a limit and an end for another agent: it spends your money. Default 1 USD ' +
      'for an hour. The answer holds the key itself, so it is in this conversation: keep its limit small and its life short. Free.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    inputSchema: merged(
      without(delegated, 'limitMicro', 'expiresInSeconds'),
      describedSchemaOf(HandingArguments),
      describedSchemaOf(PayingArguments),
    ),
    own: [HandingArguments, PayingArguments],
    scope: 'keys',
    needsOwner: true,
    call: ({ limitMicro = KEY_MICRO_DEFAULT, expiresInSeconds = KEY_SECONDS_DEFAULT, ...own }, body) => ({
      method: 'POST',
      url: '/v1/agent/keys',
      body: { ...body, limitMicro, expiresInSeconds },
      headers: marked(own),
    }),
  },
  {
    name: 'list_keys',
    title: 'List keys below you',
    description:
      'The keys that you, or those below you, have made, with their limits and their spending. Free.',
    annotations: READS,
    inputSchema: { type: 'object', properties: {}, required: [] },
    own: [],
    scope: 'keys',
    needsOwner: true,
    call: () => ({ method: 'GET', url: '/v1/agent/keys' }),
  },
  {
    name: 'revoke_key',
    title: 'End a key below you',
    description: 'Ends a key and all below it, at once and for good. The rest of its reserve returns. Free.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    inputSchema: describedSchemaOf(KeyArguments),
    own: [KeyArguments],
    scope: 'keys',
    needsOwner: true,
    call: ({ id }) => ({ method: 'DELETE', url: `/v1/agent/keys/${segment(id)}` }),
  },
  {
    name: 'get_balance',
    title: 'Look at a balance',
    description:
      "The prepaid balance of a wallet, or without one that of the key's owner with the latest transactions. Free.",
    annotations: READS,
    inputSchema: describedSchemaOf(BalanceArguments),
    own: [BalanceArguments],
    scope: 'read',
    call: ({ wallet }) => ({
      method: 'GET',
      url: wallet === undefined ? '/v1/agent/balance' : `/v1/agent/x402/balance/${segment(wallet)}`,
    }),
  },
];
