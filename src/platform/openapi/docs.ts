import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  type ApiBodyOptions,
  ApiExtraModels,
  ApiResponse,
  ApiSecurity,
  type DocumentBuilder,
  getSchemaPath,
} from '@nestjs/swagger';

import { ChoiceField, FlagField, ObjectField, SchemaField, TextField } from '../http/routes/fields';

export class ErrorBody {
  @TextField({ max: 2_000, about: 'A text that says what is wrong and what to do.' })
  readonly message: string;
  @ChoiceField([
    'invalid_request_error',
    'authentication_error',
    'permission_error',
    'payment_required',
    'not_found',
    'conflict',
    'rate_limited',
    'policy_violation',
    'region_unavailable',
    'provider_error',
    'unavailable',
    'internal_error',
  ])
  readonly type: string;
  @TextField({ max: 100, about: 'Stable, for programs: `UNKNOWN_MODEL`.' }) readonly code: string;
  @SchemaField({ about: 'The field at fault.' }, { oneOf: [{ type: 'string' }, { type: 'null' }] })
  readonly param: string | null;
  @TextField({ max: 100 }) readonly requestId: string;
  @TextField({ max: 40, optional: true, about: "Only on generateContent: Google's word for the status." })
  readonly status?: string;
  @FlagField({ about: 'Whether the same request may succeed later.' }) readonly retryable: boolean;
}

const Link = (about: string): PropertyDecorator => TextField({ max: 500, optional: true, about });

/** The envelope of every failure, with links to the next step. */
export class ErrorAnswer {
  @ObjectField(() => ErrorBody) readonly error: ErrorBody;
  @SchemaField(
    {
      optional: true,
      about: 'Your body with the one change that makes it valid, where there is such a change.',
    },
    { type: 'object' },
  )
  readonly fix?: object;
  @ChoiceField(['error'], { optional: true, about: 'Only on /v1/messages, as its clients expect it.' })
  readonly type?: string;
  @TextField({
    max: 100,
    optional: true,
    about: 'Only on /v1/messages: the `requestId` under the name that its clients expect.',
  })
  readonly request_id?: string;
  @Link('The page on which to add money.') readonly topUp?: string;
  @Link('The page on which keys are made and changed.') readonly manageKeys?: string;
  @Link('The page on which to sign in.') readonly signIn?: string;
  @Link('A page about the meaning of this code and its remedy.') readonly docs?: string;
  @TextField({ max: 100, optional: true, about: 'The model that replaces a retired one.' })
  readonly replacedBy?: string;
}

export const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'The request is wrong; `param` names the field. Nothing was charged.',
  401: 'No credential, or one that is not valid.',
  402: 'The call must be paid, or the money is too little. Nothing was charged.',
  403: 'Not allowed.',
  404: 'The object does not exist, or is not yours.',
  405: 'The address has no such method.',
  408: 'The body came too slowly.',
  409: 'The request conflicts with the present state.',
  410: 'The object existed, and is no longer available.',
  413: 'The body is larger than this route takes.',
  415: 'The body or the medium is of a type that this route does not take.',
  422: 'Another body has the same idempotency key, or the medium was rejected.',
  429: 'Too many calls; `Retry-After` says how long to wait.',
  451: 'Not available in your region, or not to this wallet.',
  500: 'Something went wrong on our side.',
  502: 'The provider failed. Nothing was charged, or it was refunded.',
  503: 'Not available for the moment; send the same request again.',
};

/**
 * A failure with this status, in our envelope. Without a status, it describes every failure without a description of
 * its own.
 */
export const failureOf = (status: number | undefined) => ({
  description: status === undefined ? 'Any other failure.' : (STATUS_TEXTS[status] ?? 'Failure.'),
  content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorAnswer) } } },
});

/** Documents the failures of a route, all in our envelope. */
export const ApiFailures = (...statuses: readonly number[]): MethodDecorator =>
  ApiFailuresWith({}, ...statuses);

/** Also documents the headers of this route's failures. */
export const ApiFailuresWith = (
  headers: Readonly<Record<string, object>>,
  ...statuses: readonly number[]
): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(ErrorAnswer),
    ...statuses.map((status) => ApiResponse({ status, headers: headers as never, ...failureOf(status) })),
  );

/** The body of a route, with a valid example. */
export const ApiBodyLike = (type: new () => object, example: object): MethodDecorator =>
  ApiBody({ type, examples: { example: { value: example } } } as ApiBodyOptions);

/** The description of a credential. */
export type SecurityScheme = Parameters<DocumentBuilder['addSecurity']>[1];

/** The credentials of an owner: a key, or a wallet's sign-in. */
export const ApiOwner = (): ClassDecorator & MethodDecorator =>
  applyDecorators(ApiSecurity('walletSignIn'), ApiSecurity('bearerKey'), ApiSecurity('apiKey'));

/** A route that needs no credential. */
export const PublicRoute = (): MethodDecorator => applyDecorators(ApiSecurity({}), ApiFailures(429));
