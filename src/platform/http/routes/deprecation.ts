import { ApiExtension, ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/** A route or a field that will go, and what replaces it. */
export interface Deprecation {
  /** The day of the announcement, such as `2027-01-31`. */
  readonly since: string;
  /** The first day on which it may be gone: a year after the announcement, or later. */
  readonly sunset: string;
  /** The address of the route to use, for `Link`, or the name of the field to use. */
  readonly instead: string;
}

export type InputPlace = 'body' | 'query';

export interface DeprecatedField extends Deprecation {
  readonly field: string;
  readonly place: InputPlace;
}

/** The extension of the documents, from which `deprecated` and the headers of an operation are made. */
export const DEPRECATION = 'x-deprecation';

const ROUTE = Symbol('deprecation');
const FIELDS = Symbol('deprecated fields');

/**
 * Marks a route, or a field of a body or a query. Answers then have the headers `Deprecation`, `Sunset` and `Link`, the
 * documents have `deprecated`, and a metric counts the calls. If it stays for less than a year, the start fails.
 */
export const Deprecated =
  (deprecation: Deprecation): MethodDecorator & PropertyDecorator =>
  (target: object, name: string | symbol, descriptor?: PropertyDescriptor): void => {
    const place = `${target.constructor.name}.${String(name)}`;
    requireYear(deprecation, place);
    requireAddress(deprecation, place);
    if (descriptor !== undefined) {
      const handler = descriptor.value as object;
      Reflect.defineMetadata(ROUTE, deprecation, handler);
      ApiExtension(DEPRECATION, { ...deprecation })(target, name, descriptor);
      return;
    }
    const fields = [...fieldsOf(target), { ...deprecation, field: String(name) }];
    Reflect.defineMetadata(FIELDS, fields, target);
    const documented = { deprecated: true, [DEPRECATION]: deprecation } as object as ApiPropertyOptions;
    ApiProperty(documented)(target, name);
  };

const fieldsOf = (prototype: object): readonly Omit<DeprecatedField, 'place'>[] =>
  (Reflect.getMetadata(FIELDS, prototype) ?? []) as Omit<DeprecatedField, 'place'>[];

export const deprecationOf = (handler: object): Deprecation | undefined =>
  Reflect.getMetadata(ROUTE, handler) as Deprecation | undefined;

export const deprecatedFieldsOf = (
  { prototype }: { readonly prototype: object },
  place: InputPlace,
): readonly DeprecatedField[] => fieldsOf(prototype).map((field) => ({ ...field, place }));

const timeOf = (day: string): number => {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(time))
    throw new Error(`${day} is no day such as 2027-01-31.`);
  return time;
};

const requireYear = ({ since, sunset }: Deprecation, place: string): void => {
  const nextYear = new Date(timeOf(since));
  nextYear.setUTCFullYear(nextYear.getUTCFullYear() + 1);
  if (timeOf(sunset) >= nextYear.getTime()) return;
  throw new Error(`The sunset of ${place} is less than a year after ${since}: ${sunset}.`);
};

/** Other characters are not valid in the header, so each answer would fail. */
const requireAddress = ({ instead }: Deprecation, place: string): void => {
  if (!instead.startsWith('/') || /^[!-~]+$/.test(instead.replace(/[<>"]/g, ' '))) return;
  throw new Error(`What replaces ${place} is no address: ${JSON.stringify(instead)}.`);
};

export const isOver = ({ sunset }: Deprecation, now: number): boolean => timeOf(sunset) <= now;

/** The headers of RFC 9745 and RFC 8594, with the page about the route and the route that replaces it. */
export const deprecationHeaders = (
  { since, sunset, instead }: Deprecation,
  publicUrl: string,
): Readonly<Record<string, string>> => ({
  deprecation: `@${timeOf(since) / 1_000}`,
  sunset: new Date(timeOf(sunset)).toUTCString(),
  link: [
    `<${publicUrl}/docs>; rel="deprecation"; type="text/html"`,
    `<${publicUrl}/docs>; rel="sunset"; type="text/html"`,
    ...(instead.startsWith('/') ? [`<${publicUrl}${instead}>; rel="successor-version"`] : []),
  ].join(', '),
});
