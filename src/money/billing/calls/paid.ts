import { HttpCode, type Type, UseGuards, UseInterceptors, applyDecorators } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
} from '@nestjs/swagger';

import type { PriceRange, PriceRanges } from '#models/catalog/price-ranges';
import { declarePageAccess } from '#platform/http/answers/browser-headers';
import { ApiIdempotencyKey } from '#platform/http/routes/idempotency-key';
import { PayerThrottlerGuard } from '#platform/http/limits/payer-throttler.guard';
import { deprecatedFieldsOf } from '#platform/http/routes/deprecation';
import { HttpRoute, type RouteOptions } from '#platform/http/routes/route';
import { ApiBodyLike } from '#platform/openapi/docs';
import { ApiFailuresWith } from '#platform/openapi/failures';
import { RAIL_GUARDS, railClasses, railNames } from '../rails/rail-order';
import type { RailClass } from '../rails/rail';
import { ANSWER_HEADERS, CHALLENGE_HEADERS, CHARGE_HEADERS } from './charge-headers';
import { ChargeInterceptor } from './charge.interceptor';
import { DryRunAnswer } from './dry-run.dto';
import type { PaidBody } from './paid-body';
import type { PaidOptions } from './paid-call';
import { PAID, PaidRoute } from './paid-routes';
import { PayerGuard } from './payer.guard';
import { PaymentRequiredAnswer } from './payment-required.dto';
import { PricedGuard } from './priced.guard';

declarePageAccess({ headers: ['x-max-price-micro', 'x-session', 'x-wallet-address'] });

const KEPT_BYTES_MAX = 256 * 1024;

type AnswerType = abstract new (...args: never[]) => object;

/** The documentation of a paid route in the OpenAPI document. It does not change how the route works. */
interface PaidDocumentation {
  /** The operation whose floor and cap the document shows, or the range itself, in USD. Absent where x402 can't pay. */
  readonly price?: keyof PriceRanges | PriceRange;
  /** The answers of status 200; the example is of the first type. Empty if the route answers files. */
  readonly answers: readonly AnswerType[];
  /** The media types of the files that the route answers. */
  readonly files?: readonly string[];
  /** The field that distinguishes the answers, and the type of the answer for each value. */
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, AnswerType>>;
  };
  /** True if the answer waits for its job. The header `Prefer` then sets the longest wait. */
  readonly waits?: boolean;
  /** The description of the `Idempotency-Key` header. */
  readonly aboutIdempotencyKey?: string;
}

const askHeader = (name: string, description: string, schema: object): MethodDecorator =>
  ApiHeader({ name, required: false, description, schema });

const referTo = (type: AnswerType): { readonly $ref: string } => ({ $ref: getSchemaPath(type as Type) });

/** The discriminator leaves out the answer of a dry run, which clients recognise by its field `dryRun`. */
const answerSchema = ({ answers, discriminator }: PaidDocumentation) => {
  const refs = answers.map(referTo);
  if (discriminator === undefined) {
    return { anyOf: [...refs, referTo(DryRunAnswer)] };
  }
  const mapping = Object.fromEntries(
    Object.entries(discriminator.mapping).map(([value, answer]) => [value, referTo(answer).$ref]),
  );
  const answerOfMode = { oneOf: refs, discriminator: { propertyName: discriminator.propertyName, mapping } };
  return { anyOf: [answerOfMode, referTo(DryRunAnswer)] };
};

const paidAnswer = (documented: PaidDocumentation, example: object): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(...(documented.answers as Type[]), DryRunAnswer),
    ApiResponse({
      status: 200,
      description: 'Done, or with `dryRun` the price of the call.',
      headers: ANSWER_HEADERS,
      content: {
        'application/json': { schema: answerSchema(documented), example },
        ...Object.fromEntries(
          (documented.files ?? []).map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
        ),
      },
    }),
  );

/**
 * Prepaid schemes come first: a reader of the document takes the first scheme that it knows, and x402 clients look for
 * x402.
 */
const schemesOf = ({ rails }: Pick<PaidOptions, 'rails'>): string[] => {
  const allowed = railClasses().filter(({ facts }) => rails === undefined || rails.includes(facts.name));
  if (rails?.some((name) => !railNames().includes(name)) === true) {
    throw new Error(`A paid route names a rail that there is not: ${rails.join(', ')}.`);
  }
  const isPrepaid = (rail: RailClass): boolean => rail.facts.accounts !== undefined;
  return [...allowed.filter(isPrepaid), ...allowed.filter((rail) => !isPrepaid(rail))].flatMap(({ facts }) =>
    Object.keys(facts.schemes),
  );
};

/** Documents the 402 and the price for an unknown caller, on routes that x402 may pay. */
const payableByAnybody = (price: PaidDocumentation['price']): MethodDecorator[] =>
  price === undefined
    ? []
    : [
        ApiExtension('x-payment-info', {
          price: {
            mode: 'dynamic',
            currency: 'USD',
            ...(typeof price === 'string' ? { range: price } : price),
          },
          protocols: [{ x402: {} }],
        }),
        ...PAYABLE,
      ];

/** Documents a 402 with requirements. */
const PAYABLE: readonly MethodDecorator[] = [
  ApiExtraModels(PaymentRequiredAnswer),
  ApiResponse({
    status: 402,
    description:
      'Payment required: the header has the requirements, and the body has them for older clients.',
    headers: CHALLENGE_HEADERS,
    content: { 'application/json': { schema: { $ref: getSchemaPath(PaymentRequiredAnswer) } } },
  }),
];

const isPayableByChannel = ({ rails }: Pick<PaidOptions, 'rails'>): boolean =>
  rails?.includes('channel') === true;

const failuresOf = (isPayable: boolean): MethodDecorator => {
  const statuses = [400, 401, 403, 404, 408, 409, 410, 413, 415, 422, 429, 451, 502, 503];
  return ApiFailuresWith(CHARGE_HEADERS, ...(isPayable ? statuses : [402, ...statuses]));
};

/**
 * Marks a route as pay-per-call. Its guards price the call, let one rail prove the payer, and refuse an unpaid call.
 * Its interceptor holds the price before the method runs, settles it after success, and releases it after failure.
 */
export const Paid = <Body extends PaidBody>(
  options: PaidOptions<Body>,
  documented: PaidDocumentation,
): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    PaidRoute(options as unknown as PaidOptions),
    UseGuards(PricedGuard, ...RAIL_GUARDS, PayerGuard, PayerThrottlerGuard),
    UseInterceptors(ChargeInterceptor),
    HttpRoute(routeOptionsOf(options as unknown as PaidOptions)),
    ...documentation(options as unknown as PaidOptions, documented),
  );

const routeOptionsOf = ({
  body,
  bodyBytesMax,
  generates,
  form = false,
  uploads,
  keptBytesMax = KEPT_BYTES_MAX,
  condenses = false,
}: PaidOptions): RouteOptions => ({
  ...PAID,
  bodyBytesMax,
  generates,
  form,
  // Without its media, the body of a call is short.
  ...(uploads === undefined ? {} : { uploads, keptBytesMax }),
  condenses,
  deprecatedFields: deprecatedFieldsOf(body, 'body'),
});

const documentation = (options: PaidOptions, documented: PaidDocumentation): MethodDecorator[] => [
  ApiBodyLike(options.body, options.example.body),
  ...schemesOf(options).map((scheme) => ApiSecurity(scheme)),
  ...payableByAnybody(documented.price),
  ...(isPayableByChannel(options) ? PAYABLE : []),
  ApiIdempotencyKey(
    documented.aboutIdempotencyKey ??
      'Your idempotency key: the same key gets the first answer and is charged once.',
  ),
  askHeader('X-Max-Price-Micro', 'Refuse the call when it would cost more.', { type: 'integer', minimum: 0 }),
  askHeader('X-Session', 'A name for your session. The request log adds up its calls.', { type: 'string' }),
  ...(options.rails === undefined
    ? [
        askHeader(
          'X-Wallet-Address',
          'The address of your wallet. If this wallet has a balance, the 402 also offers to spend it.',
          { type: 'string' },
        ),
      ]
    : []),
  ...(documented.waits === true
    ? [
        askHeader(
          'Prefer',
          '`wait=20` waits at most so many seconds for the job, `respond-async` not at all.',
          { type: 'string' },
        ),
      ]
    : []),
  paidAnswer(documented, options.example.answer),
  failuresOf(documented.price !== undefined || isPayableByChannel(options)),
];
