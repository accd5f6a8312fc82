import type { OpenAPIObject } from '@nestjs/swagger';

/** The routes that the playground calls. */
const ROUTES = ['/v1/agent/chat', '/v1/chat/completions', '/v1/agent/generate'] as const;

type Part = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 8;

const isObject = (value: unknown): value is Part => typeof value === 'object' && value !== null;

/** A part of the document with its references replaced by the schemas. */
const inlined = (part: unknown, schemas: Part, depth = 0): unknown => {
  if (Array.isArray(part)) return part.map((each) => inlined(each, schemas, depth));
  if (!isObject(part)) return part;
  const { $ref: reference } = part;
  if (typeof reference === 'string') {
    const found = schemas[reference.split('/').at(-1) ?? ''];
    return depth > DEPTH_MAX ? {} : inlined(found ?? {}, schemas, depth + 1);
  }
  return Object.fromEntries(
    Object.entries(part).map(([name, each]) => [name, inlined(each, schemas, depth)]),
  );
};

/**
 * The schema of the body of each playground route. The whole document has several hundred kilobytes, so pages get only
 * this part.
 */
export const playgroundParameters = (document: string): Part => {
  const { paths, components } = JSON.parse(document) as OpenAPIObject;
  const schemas = (components?.schemas ?? {}) as Part;
  const bodyOf = (route: string): unknown => {
    const body = paths[route]?.post?.requestBody;
    return body === undefined || '$ref' in body ? {} : body.content['application/json']?.schema;
  };
  return Object.fromEntries(ROUTES.map((route) => [route, inlined(bodyOf(route), schemas)]));
};
