import type { OpenAPIObject } from '@nestjs/swagger';

import { audienceOf } from '#platform/openapi/audience';

/** The most operations of the document for crawlers, which read no more. */
export const CRAWLED_MAX = 40;

/** The operations for crawlers: all that are paid, those of other modules too, and then as many others as fit. */
export const selectionFor = (document: OpenAPIObject, isOurs: (path: string) => boolean) => {
  const candidates = Object.entries(document.paths).flatMap(([path, item]) =>
    (Object.values(item as object) as object[]).filter((operation) =>
      isOurs(path) ? audienceOf(operation) === 'crawlers' : isPaid(operation),
    ),
  );
  const paidFirst = [...candidates.filter(isPaid), ...candidates.filter((operation) => !isPaid(operation))];
  const chosen = new Set(paidFirst.slice(0, CRAWLED_MAX));
  return (operation: object): boolean => chosen.has(operation);
};

const isPaid = (operation: object): boolean => 'x-payment-info' in operation;

/** The sentence of that document about its selection. */
export const selectionOf = (publicUrl: string): string =>
  `This is a selection of at most ${CRAWLED_MAX} operations. ${publicUrl}/v1/agent/openapi.json has every route for callers.`;
