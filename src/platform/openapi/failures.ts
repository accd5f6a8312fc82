import { applyDecorators } from '@nestjs/common';
import { ApiResponse, getSchemaPath } from '@nestjs/swagger';

/** A failure in our envelope. The documents describe it by its status. */
const failure = () => ({
  description: '',
  content: { 'application/json': { schema: { $ref: getSchemaPath('ErrorAnswer') } } },
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
    ...statuses.map((status) => ApiResponse({ status, headers: headers as never, ...failure() })),
  );
