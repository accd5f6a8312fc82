import { HttpCode, type Type, applyDecorators } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
} from '@nestjs/swagger';

import type { PriceRange, PriceRanges } from '../../catalog/price-ranges';
import { ApiIdempotencyKey } from '../../platform/http/routes/idempotency-key';
import { HttpRoute, type RouteWishes } from '../../platform/http/routes/route';
import { ApiBodyLike, ApiFailuresWith, PaymentRequiredAnswer } from '../../platform/openapi/docs';
import { RAILS, railNames } from '../rails';
import type { RailClass } from '../rails/rail';
import { ANSWER_HEADERS, CHALLENGE_HEADERS, CHARGE_HEADERS } from './charge-headers';
import { DryRunAnswer } from './dry-run.dto';
import type { PaidBody } from './paid-body';
import type { PaidCall, PaidOptions } from './paid-call';
import { ListedAsPaid } from './paid-route';

const KEPT_BYTES_MAX = 256 * 1024;

type AnswerType = abstract new (...args: never[]) => object;

interface Published {
  /** Whose floor and cap the document shows, or the range itself, in USD. */
  readonly price: keyof PriceRanges | PriceRange;
  /** The largest body, refused before it is read. */
  readonly bodyBytesMax: number;
  readonly generates: boolean;
  readonly form?: boolean;
  /** What the route may answer with 200; the first is the one of the example. */
  readonly answers: readonly AnswerType[];
  /** The field that tells the answers apart, and which value means which. */
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, AnswerType>>;
  };
  /** True where the answer waits for its job, and `Prefer` says for how long. */
  readonly waits?: boolean;
  readonly uploads?: RouteWishes['uploads'];
  /** True where the price depends on nothing but how long texts are. */
  readonly condenses?: boolean;
}

const askHeader = (name: string, description: string, schema: object): MethodDecorator =>
  ApiHeader({ name, required: false, description, schema });

const referTo = (type: AnswerType): { readonly $ref: string } => ({ $ref: getSchemaPath(type as Type) });

/** A dry run has no part in the discriminator: it says `dryRun` instead of what tells the others apart. */
const answerSchema = ({ answers, discriminator }: Published) => {
  const refs = answers.map(referTo);
  if (discriminator === undefined) {
    return { anyOf: [...refs, referTo(DryRunAnswer)] };
  }
  const mapping = Object.fromEntries(
    Object.entries(discriminator.mapping).map(([value, answer]) => [value, referTo(answer).$ref]),
  );
  const told = { oneOf: refs, discriminator: { propertyName: discriminator.propertyName, mapping } };
  return { anyOf: [told, referTo(DryRunAnswer)] };
};

const paidAnswer = (published: Published, example: object): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(...(published.answers as Type[]), DryRunAnswer),
    ApiResponse({
      status: 200,
      description: 'Done, or with `dryRun` what the call would cost.',
      headers: ANSWER_HEADERS,
      content: { 'application/json': { schema: answerSchema(published), example } },
    }),
  );

/** Prepaid ones first: whoever reads the document takes the first that it knows, and paying by itself is for the others. */
const schemesOf = ({ rails }: Pick<PaidOptions, 'rails'>): string[] => {
  const allowed = RAILS.filter(({ facts }) => rails === undefined || rails.includes(facts.name));
  if (rails?.some((name) => !railNames().includes(name)) === true) {
    throw new Error(`A paid route names a rail that there is not: ${rails.join(', ')}.`);
  }
  const isPrepaid = (rail: RailClass): boolean => rail.facts.accounts !== undefined;
  return [...allowed.filter(isPrepaid), ...allowed.filter((rail) => !isPrepaid(rail))].flatMap(({ facts }) =>
    Object.keys(facts.schemes),
  );
};

/** What is sold: a method that is given the paid call, and nothing else. */
type PaidMethod<Body extends PaidBody> = <Work extends (call: PaidCall<Body, never>) => unknown>(
  target: object,
  name: string,
  method: TypedPropertyDescriptor<Work>,
) => void;

/** Marks a route as pay-per-call: priced, claimed by one rail, held, then settled or released. */
export const Paid = <Body extends PaidBody>(
  options: PaidOptions<Body>,
  published: Published,
): PaidMethod<Body> => {
  const keyed = options.rails === undefined;
  const {
    price,
    bodyBytesMax,
    generates,
    form = false,
    waits = false,
    condenses = false,
    uploads,
  } = published;
  return applyDecorators(
    HttpCode(200),
    ListedAsPaid(options as unknown as PaidOptions),
    HttpRoute({
      limit: 'challenge',
      paid: true,
      charges: true,
      bodyBytesMax,
      generates,
      form,
      // A call without its media is short, whoever sends it.
      ...(uploads === undefined ? {} : { uploads, keptBytesMax: KEPT_BYTES_MAX }),
      condenses,
    }),
    ApiBodyLike(options.body, options.example.body),
    ...schemesOf(options).map((scheme) => ApiSecurity(scheme)),
    ApiExtension('x-payment-info', {
      price: { mode: 'dynamic', currency: 'USD', ...(typeof price === 'string' ? { range: price } : price) },
      protocols: [{ x402: {} }],
    }),
    ApiIdempotencyKey('A mark of yours: the same mark gets the first answer and is charged once.'),
    askHeader('X-Max-Price-Micro', 'Refuse the call when it would cost more.', {
      type: 'integer',
      minimum: 0,
    }),
    ...(keyed
      ? [
          askHeader(
            'X-Wallet-Address',
            'Names your wallet: when it holds a balance, the 402 offers to spend it.',
            {
              type: 'string',
            },
          ),
        ]
      : []),
    ...(waits
      ? [
          askHeader(
            'Prefer',
            '`wait=20` waits at most so many seconds for the job, `respond-async` not at all.',
            {
              type: 'string',
            },
          ),
        ]
      : []),
    paidAnswer(published, options.example.answer),
    ApiExtraModels(PaymentRequiredAnswer),
    ApiResponse({
      status: 402,
      description: 'Payment required: the header carries what to pay, the body says it for older clients.',
      headers: CHALLENGE_HEADERS,
      content: { 'application/json': { schema: { $ref: getSchemaPath(PaymentRequiredAnswer) } } },
    }),
    ApiFailuresWith(CHARGE_HEADERS, 400, 401, 403, 404, 408, 409, 410, 413, 415, 422, 429, 451, 502, 503),
  );
};
